import * as z from 'zod/mini';
import { described, listOf } from '../../words/described.ts';
import {
  ArticleReference,
  distinct,
  FRONT_MATTER,
  numbered,
  optionalDocument,
  Prose,
  ProtocolId,
} from './prose.ts';

const ClassId = described(
  z.string().check(z.regex(/^[a-z]+(_[a-z]+)*$/, 'an id like ledger_operator')),
  'Identifier of a class of party',
  { example: 'ledger_operator' },
);

const Paragraph = z.strictObject({
  number: described(z.int().check(z.gte(1)), 'Number of the paragraph in its article, from 1'),
  text: described(Prose, 'Text of the paragraph; where it has points, the words that introduce them'),
  points: described(
    z.optional(z.array(Prose).check(z.minLength(1))),
    'Points (a), (b), (c) … of the paragraph, in order',
  ),
});

const Article = z.strictObject({
  number: described(z.int().check(z.gte(1)), 'Number of the article, from 1 through the whole text'),
  part: described(Prose, 'Part of the framework that contains the article', {
    example: 'II. The public record',
  }),
  title: described(Prose, 'Heading of the article'),
  paragraphs: described(numbered(Paragraph, 'number'), 'Paragraphs in order'),
});

const Obligation = z.strictObject({
  id: described(
    z.string().check(z.regex(/^TF-O\d{2}$/, 'an id like TF-O01')),
    'Identifier of the obligation',
  ),
  source: ArticleReference,
  who: described(z.array(ClassId).check(z.minLength(1)), 'Classes of party that it binds'),
  what: described(Prose, 'What has to be done'),
  by_when: described(Prose, 'When it is due'),
  verified_by: described(Prose, 'How, and by whom, it can be verified that it was done'),
});

const PartyClass = z.strictObject({
  id: ClassId,
  name: described(Prose, 'Name of the class'),
  who: described(Prose, 'Who can be a party of this class'),
  votes: described(z.boolean(), 'True: has a vote in the Assembly'),
  joins_by: described(Prose, 'What makes it a party'),
});

const Signature = z.strictObject({
  party: described(Prose, 'Name of the party'),
  class: ClassId,
  signed_on: described(z.iso.date(), 'Date of signature, UTC'),
  accepted_on: described(z.nullable(z.iso.date()), 'Date of acceptance; null before it'),
});

const Parties = z.strictObject({
  statement: described(Prose, 'State of signature, in words'),
  classes: described(distinct(PartyClass, 'id'), 'Classes of party'),
  signatures: described(z.array(Signature), 'Signatures deposited; empty where there are none'),
});

const Institution = z.strictObject({
  name: described(Prose, 'Name of the institution'),
  source: ArticleReference,
  composition: described(Prose, 'Who its members are'),
  mandate: described(z.array(Prose).check(z.minLength(1)), 'What it does'),
  decides_by: described(Prose, 'How it decides'),
});

const Amendment = z.strictObject({
  source: ArticleReference,
  proposed_by: described(Prose, 'Who may propose one'),
  notice_days: described(z.int().check(z.gte(1)), 'Time between its circulation and the vote', {
    unit: 'days',
  }),
  adoption: described(Prose, 'How it is adopted'),
  effect: described(Prose, 'Whom it binds, and from when'),
});

const Settlement = z.strictObject({
  source: ArticleReference,
  stages: described(
    numbered(
      z.strictObject({
        order: described(z.int().check(z.gte(1)), 'Order of the stage, from 1'),
        means: described(Prose, 'Means of settlement'),
        days: described(
          z.nullable(z.int().check(z.gte(1))),
          'Time after which the next stage is open; null for the last',
          { unit: 'days' },
        ),
        binding: described(z.boolean(), 'True: its result binds those in dispute'),
        protocol: described(z.nullable(ProtocolId), 'Protocol that carries it out; null where there is none'),
      }),
      'order',
    ),
    'Stages in order',
  ),
});

const Withdrawal = z.strictObject({
  source: ArticleReference,
  notice_days: described(z.int().check(z.gte(1)), 'Time between the notice and its effect', { unit: 'days' }),
  protocol: ProtocolId,
  surviving_obligations: described(
    z.array(z.string()).check(z.minLength(1)),
    'Ids of the obligations that outlast it',
  ),
});

const EntryIntoForce = z.strictObject({
  source: ArticleReference,
  acceptances: described(z.int().check(z.gte(1)), 'Instruments of acceptance that are needed'),
  of_which: listOf('How many of them must come from each class', {
    class: ClassId,
    at_least: described(z.int().check(z.gte(1)), 'Least number of this class'),
  }),
  delay_days: described(z.int().check(z.gte(0)), 'Time between the last of them and entry into force', {
    unit: 'days',
  }),
});

const Annex = z.strictObject({
  id: described(z.string().check(z.regex(/^[A-Z]$/, 'a capital letter')), 'Letter of the annex', {
    example: 'A',
  }),
  title: described(Prose, 'Heading of the annex'),
  normative: described(z.boolean(), 'True: part of the obligations; false: a model or an explanation'),
  introduction: described(Prose, 'What the annex is for'),
  items: described(
    numbered(
      z.strictObject({
        number: described(z.int().check(z.gte(1)), 'Number of the item, from 1'),
        title: described(Prose, 'Heading of the item'),
        text: described(Prose, 'Text of the item'),
      }),
      'number',
    ),
    'Items in order',
  ),
});

/** The treaty framework, as written. */
export const TreatyFramework = described(
  z.strictObject({
    ...FRONT_MATTER,
    preamble: described(z.array(Prose).check(z.minLength(1)), 'Recitals in order'),
    definitions: described(
      distinct(
        z.strictObject({
          term: described(Prose, 'Term as used in the text'),
          meaning: described(Prose, 'What it means there'),
        }),
        'term',
      ),
      'Terms and their meanings',
    ),
    articles: described(numbered(Article, 'number'), 'Articles in order'),
    obligations: described(
      distinct(Obligation, 'id'),
      'The obligations of the articles, each with its proof',
    ),
    parties: described(Parties, 'Who may be a party, and who has signed'),
    institutions: described(distinct(Institution, 'name'), 'Institutions that the framework sets up'),
    amendment: described(Amendment, 'How the text changes'),
    dispute_settlement: described(Settlement, 'How disputes are settled'),
    withdrawal: described(Withdrawal, 'How a party leaves'),
    entry_into_force: described(EntryIntoForce, 'What has to happen before it binds'),
    annexes: described(distinct(Annex, 'id'), 'Annexes'),
  }),
  'The framework agreement under which ledgers are opened, recognised and verified',
);
export type TreatyFramework = z.infer<typeof TreatyFramework>;

export const PublishedTreatyFramework = optionalDocument(TreatyFramework);
