import type { GivenEvent } from './read-event.ts';

/** What a proof does not show, by what was pasted. */
export const NOT_PROVED: Readonly<Record<GivenEvent['kind'], string>> = {
  hash: 'What the event says. Whoever has its line computes the hash again: SHA-256 of a zero byte and the line.',
  row: 'That the event says what the row says: the hash is over the event’s line, which has a salt that rows leave out. With a government key, “cathedral verify-export” compares rows with the events themselves.',
  line: 'That what the line says is true. That it is the event, byte for byte, is proved: the hash was computed from it.',
};
