import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UpdateWriter } from '../../../src/sidecar/simulation/update-writer.ts';
import { NEW_SESSION, type Session, updateOf } from '../../../src/simulation/protocol/session.ts';
import { arbitraryPlay, play } from '../../simulation/arbitrary-run.ts';

test('an update is written in the bytes of JSON.stringify, in every state that a run can come to', () => {
  const writer = new UpdateWriter();
  const sessions = fc.record({
    isRunning: fc.boolean(),
    outlooks: fc.boolean(),
    pace: fc.integer({ min: 250, max: 60_000 }),
  });
  fc.assert(
    fc.property(arbitraryPlay, sessions, (plays, how) => {
      play(plays, (run) => {
        const session: Session = { ...NEW_SESSION, ...how, run };
        const { text, release } = writer.write([session]).next();
        expect(String(text)).toBe(JSON.stringify(updateOf(session)));
        release();
      });
    }),
    { numRuns: 60 },
  );
});

test('texts that nobody has released yet stay as they are', () => {
  const writer = new UpdateWriter();
  const runs = [1, 2, 3].map((seed) => play({ scenario: 'model_drift', seed, moves: [], rest: 2 }));
  const texts = runs.map((run) => writer.write([{ ...NEW_SESSION, run }]).next().text);
  expect(texts.map((text) => JSON.parse(String(text)).seed)).toEqual([1, 2, 3]);
});
