import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SharedRuns } from '../../../src/sidecar/simulation/shared-runs.ts';
import { TickBuffer } from '../../../src/sidecar/simulation/tick-buffer.ts';
import { TickPrefetch } from '../../../src/sidecar/simulation/tick-prefetch.ts';
import type { ClientMessage } from '../../../src/simulation/protocol/client-message.ts';
import {
  elapse,
  NEW_SESSION,
  receive,
  type Session,
  updateOf,
} from '../../../src/simulation/protocol/session.ts';
import { SCENARIOS } from '../../../src/simulation/scenarios.ts';
import type { World } from '../../../src/simulation/world.ts';

const at = (now: number) => ({ now, newSeed: () => 1 });

/** What a client does, and a number of beats that it only watches. */
const doings = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 12 }) },
    {
      weight: 2,
      arbitrary: fc.constantFrom<ClientMessage>(
        { action: 'step', ticks: 1 },
        { action: 'reset' },
        { action: 'pause' },
        { action: 'run' },
        { action: 'run', pace_ms: 500 },
        { action: 'take_action', name: 'call_vote', parameters: {} },
        { action: 'list_scenarios' },
      ),
    },
  ),
  { maxLength: 12 },
);

const starts = fc.record({
  action: fc.constant('start_simulation' as const),
  scenario: fc.constantFrom(...SCENARIOS.map(({ name }) => name)),
  seed: fc.integer({ min: 0, max: 50 }),
  outlooks: fc.boolean(),
});

const failsAt = (tick: number) => (world: World) => {
  if (world.tick >= tick) throw new Error(`at tick ${tick}`);
  return false;
};

/** The texts that a client is sent, and what it is refused, each tick made when it is due. */
function oneByOne(doing: readonly (ClientMessage | number)[], start: ClientMessage): string[] {
  let session: Session = receive(NEW_SESSION, start, at(0)).session;
  const texts = [JSON.stringify(updateOf(session))];
  for (const one of doing) {
    try {
      if (typeof one === 'number') {
        for (let beat = 0; beat < one && session.due !== null; beat += 1) {
          session = elapse(session, session.due).session;
          texts.push(JSON.stringify(updateOf(session)));
        }
        continue;
      }
      session = receive(session, one, at(session.due ?? 0)).session;
      if (one.action !== 'list_scenarios') texts.push(JSON.stringify(updateOf(session)));
    } catch (error) {
      texts.push(String(error));
    }
  }
  return texts;
}

/** The same, by a course. */
function ahead(
  doing: readonly (ClientMessage | number)[],
  start: ClientMessage,
  { runs, preparation }: { runs: SharedRuns; preparation: TickPrefetch },
): string[] {
  const course = new TickBuffer(runs, preparation);
  course.adopt(receive(NEW_SESSION, start, { ...at(0), runs }).session);
  const texts = [String(course.write())];
  for (const [place, one] of doing.entries()) {
    // Now and then what waits is made before it is due.
    if (place % 2 === 0) preparation.run();
    try {
      if (typeof one === 'number') {
        for (let beat = 0; beat < one && course.due !== null; beat += 1)
          texts.push(String(course.advance(course.due)));
        continue;
      }
      const reply = receive(course.shown(), one, { ...at(course.due ?? 0), runs });
      course.adopt(reply.session);
      if (reply.answer === 'update') texts.push(String(course.write()));
    } catch (error) {
      texts.push(String(error));
    }
  }
  return texts;
}

describe('a course', () => {
  test('tells in the same bytes as ticks that are made one by one, whatever is done at whatever beat', () => {
    fc.assert(
      fc.property(doings, starts, (doing, start) => {
        const fresh = { runs: new SharedRuns(), preparation: new TickPrefetch() };
        expect(ahead(doing, start, fresh)).toEqual(oneByOne(doing, start));
      }),
      { numRuns: 15 },
    );
  });

  /** A course, what it is prepared by, and how many texts were made each time. */
  function counted(scenario = 'model_drift') {
    const made: number[] = [];
    let written = 0;
    class Counting extends SharedRuns {
      override write(session: Session) {
        written += 1;
        return super.write(session);
      }
    }
    const preparation = new TickPrefetch();
    const course = new TickBuffer(new Counting(), preparation);
    const start = { action: 'start_simulation', scenario, seed: 1 } as const;
    course.adopt(receive(NEW_SESSION, start, at(0)).session);
    const counting = <T>(act: () => T): T => {
      written = 0;
      const result = act();
      if (written > 0) made.push(written);
      return result;
    };
    const advance = () => counting(() => course.advance(course.due!));
    const prepare = () => counting(() => preparation.run());
    const beats = (count: number) => {
      for (let beat = 0; beat < count; beat += 1) {
        advance();
        prepare();
      }
    };
    return { course, made, advance, prepare, beats };
  }

  test('shows what comes before a tick that fails, and fails when that is due', () => {
    const { course, made, advance, prepare, beats } = counted();
    beats(2);
    const { run } = course.shown();
    const failing = {
      ...run!.scenario,
      events: [{ name: 'x', when: failsAt(run!.world.tick + 3), change: {} }],
    };
    course.adopt({ ...course.shown(), run: { ...run!, scenario: failing } });
    beats(1);
    expect(made.at(-1)).toBe(1);
    advance();
    prepare();
    expect(() => advance()).toThrow('at tick');
  });
});
