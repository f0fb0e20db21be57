import { test } from 'vitest';

/** `npm run test:all` and `npm run faults` try every case of a kind, `npm test` one of each. */
export const isSweep = /^(all|hours)$/.test(process.env.SWEEP ?? '');

/** `npm run faults` also tries what takes hours. */
export const isLongSweep = process.env.SWEEP === 'hours';

const unheard = Object.assign(() => undefined, { each: () => () => undefined }) as unknown as typeof test;

/** A test of `npm run test:all` alone, in a file with others that `npm test` runs. */
export const sweep = isSweep ? test : unheard;

/** All rows in a sweep, otherwise the first ones. */
export function few<T>(rows: readonly T[], number = 1): T[] {
  return rows.slice(0, isSweep ? rows.length : number);
}
