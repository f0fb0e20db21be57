import { z } from 'zod';
import { VIRTUES } from '../../../pipeline/ledger/events/vocabulary.ts';
import { LEVER_NAMES, LEVERS, type Lever } from '../levers.ts';
import { CHANGEABLE, OWN_PARTS, RESTING_PARTS } from '../why.ts';
import { byName, Cathedral, Share } from './members.ts';

const Change = z.number().min(-1).max(1);
const BEFORE = 'Before the action.';
const AFTER = 'After it.';
const Moved = z.strictObject({ before: Share.describe(BEFORE), after: Share.describe(AFTER) });
const InfluenceChange = z.strictObject({
  listener: z.string().describe('The id of the sentinel that listens.'),
  speaker: z.string().describe('The id of the sentinel that it listens to.'),
  before: Share.describe(BEFORE),
  after: Share.describe(AFTER),
});
const Value = z.union([z.number(), z.string()]);

export const Why = z
  .strictObject({
    sentinels: z
      .array(
        z.strictObject({
          id: z.string().describe('Its name.'),
          own_opinion: Moved.describe('What it thinks of the proposal by itself.'),
          own_parts: z
            .strictObject(byName(OWN_PARTS, Change.describe('The part of this cause.')))
            .describe('The change of its own opinion by cause; they sum to it.'),
          resting_opinion: Moved.nullable().describe(
            'Where its opinion comes to rest if nothing else changes; null as in model.',
          ),
          resting_parts: z
            .strictObject(byName(RESTING_PARTS, Change.describe('The part of this cause.')))
            .nullable()
            .describe(
              'The change of its resting opinion, by its own opinion, the own opinions of others, and who hears whom; they sum to it.',
            ),
        }),
      )
      .describe('Each sentinel, in their order.'),
    mean_resting_opinion: z
      .strictObject({
        before: Share.nullable().describe(BEFORE),
        after: Share.nullable().describe(AFTER),
      })
      .describe('Mean of the resting opinions.'),
    changed: z
      .array(
        z.strictObject({
          what: z.enum(CHANGEABLE).describe('The kind of value.'),
          name: z.string().describe('The lever, virtue, cathedral or sentinel.'),
          before: Value.describe(BEFORE),
          after: Value.describe(AFTER),
        }),
      )
      .describe('Every value of the model that it changed.'),
    influences: z
      .strictObject({
        grew: z.array(InfluenceChange).describe('The entries of W that grew most.'),
        shrank: z.array(InfluenceChange).describe('The entries of W that shrank most.'),
      })
      .describe('Who hears whom more, and less.'),
    said: z.array(z.string()).describe('The same in sentences.'),
  })
  .describe('What the last action moved, before the next tick.');

export const Model = z
  .strictObject({
    levers: z
      .strictObject(
        Object.fromEntries(
          LEVER_NAMES.map((name) => [
            name,
            z.number().describe(`${LEVERS[name].meaning[0]!.toUpperCase()}${LEVERS[name].meaning.slice(1)}.`),
          ]),
        ) as Record<Lever, z.ZodNumber>,
      )
      .describe('The parameters of the model, as they are now.'),
    effects: z
      .strictObject(byName(VIRTUES, Change.describe('Its effect on this virtue.')))
      .describe('What the proposal does to each virtue.'),
    stakes: z
      .partialRecord(Cathedral, Change.describe('The gain of this cathedral.'))
      .describe('What each cathedral gains; 0 if absent.'),
    influence: z
      .array(z.array(Share))
      .describe('W: a row per listener, a column per speaker, in the order of the sentinels.'),
    sentinels: z
      .array(
        z.strictObject({
          id: z.string().describe('Its name.'),
          weights: z
            .strictObject(byName(VIRTUES, Share.describe('Its weight for this virtue.')))
            .describe('They sum to 1.'),
          trust: z.number().min(0).describe('How much others listen to it; the mean is 1.'),
          temper: Change.describe('The term of its utility that virtues do not explain.'),
          pressure: z.number().describe('Drift added per tick.'),
          stubbornness: Share.describe('Multiplied by the lever of that name.'),
          resting_opinion: Share.nullable().describe(
            'Where its opinion comes to rest if nothing changes; null if that depends on where the opinions are.',
          ),
        }),
      )
      .describe('What only events and actions change of each sentinel, in their order.'),
  })
  .describe(
    'What the next exchange of views follows from, besides the opinions: see the equations of the model.',
  );
