import * as z from 'zod/mini';
import { described } from '../../words/described.ts';
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

const ActorId = described(
  z.string().check(z.regex(/^[a-z]+(_[a-z]+)*$/, 'an id like notifying_party')),
  'Identifier of an actor',
  { example: 'notifying_party' },
);

const Actor = z.strictObject({
  id: ActorId,
  name: described(Prose, 'Name of the actor'),
  role: described(Prose, 'What it does in the protocols'),
});

const Step = z.strictObject({
  order: described(z.int().check(z.gte(1)), 'Order of the step, from 1'),
  actor: ActorId,
  action: described(Prose, 'What the actor does'),
  record: described(
    z.strictObject({
      event: described(
        z.nullable(z.string().check(z.regex(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/, 'a snake_case token'))),
        'Type of the ledger event that records it; null where it is kept elsewhere',
      ),
      holds: described(Prose, 'What the record holds'),
    }),
    'What later readers find of the step',
  ),
  deadline: described(
    z.strictObject({
      within: described(z.iso.duration(), 'ISO 8601 duration; PT0S is at once', { example: 'PT24H' }),
      after: described(Prose, 'What the time is counted from'),
    }),
    'By when',
  ),
});

const Outcome = z.strictObject({
  outcome: described(Prose, 'Name of the outcome'),
  when: described(Prose, 'When this outcome is reached'),
  effect: described(Prose, 'What follows from it'),
});

const Protocol = z.strictObject({
  id: described(ProtocolId, 'Identifier of the protocol'),
  title: described(Prose, 'Title of the protocol'),
  purpose: described(Prose, 'What it is for'),
  articles: described(z.array(ArticleReference), 'What it carries out of the treaty framework'),
  standards: described(z.array(StandardId), 'Standards that its records and checks follow'),
  triggers: described(z.array(Prose).check(z.minLength(1)), 'What starts it; one of these is enough'),
  steps: described(numbered(Step, 'order'), 'Steps in order'),
  outcomes: described(distinct(Outcome, 'outcome'), 'How it can end'),
  safeguards: described(z.array(Prose).check(z.minLength(1)), 'Safeguards that apply whatever the outcome'),
});

/** The diplomatic protocols, as written. */
export const Protocols = described(
  z.strictObject({
    ...FRONT_MATTER,
    general_rules: described(z.array(Prose).check(z.minLength(1)), 'Rules that hold for every protocol'),
    actors: described(distinct(Actor, 'id'), 'Who acts in the protocols'),
    protocols: described(distinct(Protocol, 'id'), 'The protocols'),
  }),
  'Procedures between those who keep, use and verify ledgers',
).check((context) => {
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
