import { z } from 'zod';
import {
  ArticleReference,
  distinct,
  FRONT_MATTER,
  numbered,
  optionalDocument,
  Prose,
  ProtocolId,
} from './prose.ts';

const ClassId = z
  .string()
  .regex(/^[a-z]+(_[a-z]+)*$/, 'an id like ledger_operator')
  .meta({ description: 'Identifier of a class of party', example: 'ledger_operator' });

const Paragraph = z.strictObject({
  number: z.int().min(1).meta({ description: 'Number of the paragraph in its article, from 1' }),
  text: Prose.meta({
    description: 'Text of the paragraph; where it has points, the words that introduce them',
  }),
  points: z
    .array(Prose)
    .min(1)
    .optional()
    .meta({ description: 'Points (a), (b), (c) … of the paragraph, in order' }),
});

const Article = z.strictObject({
  number: z.int().min(1).meta({ description: 'Number of the article, from 1 through the whole text' }),
  part: Prose.meta({
    description: 'Part of the framework that contains the article',
    example: 'II. The public record',
  }),
  title: Prose.meta({ description: 'Heading of the article' }),
  paragraphs: numbered(Paragraph, 'number').meta({ description: 'Paragraphs in order' }),
});

const Obligation = z.strictObject({
  id: z
    .string()
    .regex(/^TF-O\d{2}$/, 'an id like TF-O01')
    .meta({ description: 'Identifier of the obligation' }),
  source: ArticleReference,
  who: z.array(ClassId).min(1).meta({ description: 'Classes of party that it binds' }),
  what: Prose.meta({ description: 'What has to be done' }),
  by_when: Prose.meta({ description: 'When it is due' }),
  verified_by: Prose.meta({ description: 'How, and by whom, it can be verified that it was done' }),
});

const PartyClass = z.strictObject({
  id: ClassId,
  name: Prose.meta({ description: 'Name of the class' }),
  who: Prose.meta({ description: 'Who can be a party of this class' }),
  votes: z.boolean().meta({ description: 'True: has a vote in the Assembly' }),
  joins_by: Prose.meta({ description: 'What makes it a party' }),
});

const Signature = z.strictObject({
  party: Prose.meta({ description: 'Name of the party' }),
  class: ClassId,
  signed_on: z.iso.date().meta({ description: 'Date of signature, UTC' }),
  accepted_on: z.iso.date().nullable().meta({ description: 'Date of acceptance; null before it' }),
});

const Parties = z.strictObject({
  statement: Prose.meta({ description: 'State of signature, in words' }),
  classes: distinct(PartyClass, 'id').meta({ description: 'Classes of party' }),
  signatures: z.array(Signature).meta({ description: 'Signatures deposited; empty where there are none' }),
});

const Institution = z.strictObject({
  name: Prose.meta({ description: 'Name of the institution' }),
  source: ArticleReference,
  composition: Prose.meta({ description: 'Who its members are' }),
  mandate: z.array(Prose).min(1).meta({ description: 'What it does' }),
  decides_by: Prose.meta({ description: 'How it decides' }),
});

const Amendment = z.strictObject({
  source: ArticleReference,
  proposed_by: Prose.meta({ description: 'Who may propose one' }),
  notice_days: z
    .int()
    .min(1)
    .meta({ description: 'Time between its circulation and the vote', unit: 'days' }),
  adoption: Prose.meta({ description: 'How it is adopted' }),
  effect: Prose.meta({ description: 'Whom it binds, and from when' }),
});

const Settlement = z.strictObject({
  source: ArticleReference,
  stages: numbered(
    z.strictObject({
      order: z.int().min(1).meta({ description: 'Order of the stage, from 1' }),
      means: Prose.meta({ description: 'Means of settlement' }),
      days: z
        .int()
        .min(1)
        .nullable()
        .meta({ description: 'Time after which the next stage is open; null for the last', unit: 'days' }),
      binding: z.boolean().meta({ description: 'True: its result binds those in dispute' }),
      protocol: ProtocolId.nullable().meta({
        description: 'Protocol that carries it out; null where there is none',
      }),
    }),
    'order',
  ).meta({ description: 'Stages in order' }),
});

const Withdrawal = z.strictObject({
  source: ArticleReference,
  notice_days: z.int().min(1).meta({ description: 'Time between the notice and its effect', unit: 'days' }),
  protocol: ProtocolId,
  surviving_obligations: z
    .array(z.string())
    .min(1)
    .meta({ description: 'Ids of the obligations that outlast it' }),
});

const EntryIntoForce = z.strictObject({
  source: ArticleReference,
  acceptances: z.int().min(1).meta({ description: 'Instruments of acceptance that are needed' }),
  of_which: z
    .array(
      z.strictObject({
        class: ClassId,
        at_least: z.int().min(1).meta({ description: 'Least number of this class' }),
      }),
    )
    .meta({ description: 'How many of them must come from each class' }),
  delay_days: z
    .int()
    .min(0)
    .meta({ description: 'Time between the last of them and entry into force', unit: 'days' }),
});

const Annex = z.strictObject({
  id: z
    .string()
    .regex(/^[A-Z]$/, 'a capital letter')
    .meta({ description: 'Letter of the annex', example: 'A' }),
  title: Prose.meta({ description: 'Heading of the annex' }),
  normative: z
    .boolean()
    .meta({ description: 'True: part of the obligations; false: a model or an explanation' }),
  introduction: Prose.meta({ description: 'What the annex is for' }),
  items: numbered(
    z.strictObject({
      number: z.int().min(1).meta({ description: 'Number of the item, from 1' }),
      title: Prose.meta({ description: 'Heading of the item' }),
      text: Prose.meta({ description: 'Text of the item' }),
    }),
    'number',
  ).meta({ description: 'Items in order' }),
});

/** The treaty framework, as written. */
export const TreatyFramework = z
  .strictObject({
    ...FRONT_MATTER,
    preamble: z.array(Prose).min(1).meta({ description: 'Recitals in order' }),
    definitions: distinct(
      z.strictObject({
        term: Prose.meta({ description: 'Term as used in the text' }),
        meaning: Prose.meta({ description: 'What it means there' }),
      }),
      'term',
    ).meta({ description: 'Terms and their meanings' }),
    articles: numbered(Article, 'number').meta({ description: 'Articles in order' }),
    obligations: distinct(Obligation, 'id').meta({
      description: 'The obligations of the articles, each with its proof',
    }),
    parties: Parties.meta({ description: 'Who may be a party, and who has signed' }),
    institutions: distinct(Institution, 'name').meta({
      description: 'Institutions that the framework sets up',
    }),
    amendment: Amendment.meta({ description: 'How the text changes' }),
    dispute_settlement: Settlement.meta({ description: 'How disputes are settled' }),
    withdrawal: Withdrawal.meta({ description: 'How a party leaves' }),
    entry_into_force: EntryIntoForce.meta({ description: 'What has to happen before it binds' }),
    annexes: distinct(Annex, 'id').meta({ description: 'Annexes' }),
  })
  .meta({ description: 'The framework agreement under which ledgers are opened, recognised and verified' });
export type TreatyFramework = z.infer<typeof TreatyFramework>;

export const PublishedTreatyFramework = optionalDocument(TreatyFramework);
