import { createHash } from 'node:crypto';
import { cycleOf } from '../../../pipeline/ledger/events/slot.ts';

/** One line of a ledger, as a naive reader has it. */
export interface Line {
  /** What the hash covers. */
  text: string;
  timestamp: string;
  cycle: string;
  type: string;
  agent: string;
  data: unknown;
  hash: string;
}

const START = Date.UTC(2025, 11, 1);
const AGENTS = [
  ...['ATLAS', 'AUREA', 'ECHO', 'É∑', 'a,b', 'say "hi"', '"', 'line\u2028separator', 'back\\slash', 'AT*'],
  `x,0x${'a'.repeat(64)}`,
];
const TYPES = ['noted', 'noted_twice', 'app_noted', 'mic_noted', 'x1'];

/** Events that are hard on a reader of CSV; the same `seed` gives the same. */
export function hardLines(count: number, seed: number): Line[] {
  const random = generator(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  let at = START;
  return Array.from({ length: count }, (_, seq) => {
    // A third of all events happen at the same time as the one before.
    at += pick([0, 0, 250, 1000, 3_600_000]);
    const timestamp = timestampOf(at, pick([0, 0, 1, 3]));
    const event = {
      seq,
      timestamp,
      cycle: cycleOf(timestamp),
      type: pick(TYPES),
      agent: pick(AGENTS),
      data: pick<unknown>([
        {},
        { note: pick(AGENTS), n: seq },
        { 'a "quoted" name': [1.5, null, true, { deep: '\u2028\r\n' }] },
        { long: 'é'.repeat(Math.floor(random() * 400)) },
      ]),
      salt: `${String(seq).padStart(21, '0')}A`,
    };
    return lineOf(event);
  });
}

/** Few and long, more than connections hold in their buffers. */
export function longLines(count: number, bytes = 30_000): Line[] {
  return Array.from({ length: count }, (_, seq) =>
    lineOf({
      seq,
      timestamp: timestampOf(START + seq * 60_000, 0),
      cycle: `C-${Math.floor(seq / 100)}`,
      type: 'noted',
      agent: 'ATLAS',
      data: { seq, long: `${seq}`.padStart(bytes, '.') },
      salt: `${String(seq).padStart(21, '0')}A`,
    }),
  );
}

function lineOf(event: {
  seq: number;
  timestamp: string;
  cycle: string;
  type: string;
  agent: string;
  data: unknown;
  salt: string;
}): Line {
  const text = JSON.stringify(event);
  const hash = createHash('sha256').update('\0').update(text).digest('hex');
  const { timestamp, cycle, type, agent, data } = event;
  return { text, timestamp, cycle, type, agent, data, hash: `0x${hash}` };
}

/** Of a moment in ms; the fraction has as many digits as asked for, or none. */
function timestampOf(ms: number, digits: number): string {
  const iso = new Date(ms - (ms % 1000)).toISOString().slice(0, 19);
  return ms % 1000 === 0 && digits === 0 ? `${iso}Z` : `${iso}.${String(ms % 1000).padStart(3, '0')}Z`;
}

function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
