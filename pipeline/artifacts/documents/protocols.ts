import { z } from 'zod';
import {
  ArticleReference,
  distinct,
  FRONT_MATTER,
  numbered,
  optionalDocument,
  Prose,
  ProtocolId,
  StandardId,
} from './prose.ts';

const ActorId = z
  .string()
  .regex(/^[a-z]+(_[a-z]+)*$/, 'an id like notifying_party')
  .meta({ description: 'Identifier of an actor', example: 'notifying_party' });

const Actor = z.strictObject({
  id: ActorId,
  name: Prose.meta({ description: 'Name of the actor' }),
  role: Prose.meta({ description: 'What it does in the protocols' }),
});

const Step = z.strictObject({
  order: z.int().min(1).meta({ description: 'Order of the step, from 1' }),
  actor: ActorId,
  action: Prose.meta({ description: 'What the actor does' }),
  record: z
    .strictObject({
      event: z
        .string()
        .regex(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/, 'a snake_case token')
        .nullable()
        .meta({ description: 'Type of the ledger event that records it; null where it is kept elsewhere' }),
      holds: Prose.meta({ description: 'What the record holds' }),
    })
    .meta({ description: 'What later readers find of the step' }),
  deadline: z
    .strictObject({
      within: z.iso.duration().meta({ description: 'ISO 8601 duration; PT0S is at once', example: 'PT24H' }),
      after: Prose.meta({ description: 'What the time is counted from' }),
    })
    .meta({ description: 'By when' }),
});

const Outcome = z.strictObject({
  outcome: Prose.meta({ description: 'Name of the outcome' }),
  when: Prose.meta({ description: 'When this outcome is reached' }),
  effect: Prose.meta({ description: 'What follows from it' }),
});

const Protocol = z.strictObject({
  id: ProtocolId.meta({ description: 'Identifier of the protocol' }),
  title: Prose.meta({ description: 'Title of the protocol' }),
  purpose: Prose.meta({ description: 'What it is for' }),
  articles: z.array(ArticleReference).meta({ description: 'What it carries out of the treaty framework' }),
  standards: z.array(StandardId).meta({ description: 'Standards that its records and checks follow' }),
  triggers: z.array(Prose).min(1).meta({ description: 'What starts it; one of these is enough' }),
  steps: numbered(Step, 'order').meta({ description: 'Steps in order' }),
  outcomes: distinct(Outcome, 'outcome').meta({ description: 'How it can end' }),
  safeguards: z.array(Prose).min(1).meta({ description: 'Safeguards that apply whatever the outcome' }),
});

/** The diplomatic protocols, as written. */
export const Protocols = z
  .strictObject({
    ...FRONT_MATTER,
    general_rules: z.array(Prose).min(1).meta({ description: 'Rules that hold for every protocol' }),
    actors: distinct(Actor, 'id').meta({ description: 'Who acts in the protocols' }),
    protocols: distinct(Protocol, 'id').meta({ description: 'The protocols' }),
  })
  .meta({ description: 'Procedures between those who keep, use and verify ledgers' })
  .check((context) => {
    const actors = new Set(context.value.actors.map(({ id }) => id));
    context.value.protocols.forEach(({ steps }, protocol) => {
      steps.forEach(({ actor }, step) => {
        if (actors.has(actor)) return;
        const path = ['protocols', protocol, 'steps', step, 'actor'];
        context.issues.push({ code: 'custom', path, message: 'expected the id of an actor', input: actor });
      });
    });
  });
export type Protocols = z.infer<typeof Protocols>;

export const PublishedProtocols = optionalDocument(Protocols);
