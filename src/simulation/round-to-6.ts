/** Places of a MIC amount in the ledger; here of every number of the state. */
const UNIT = 1e6;

/**
 * Rounded to six places. ECMAScript leaves the last bits of exp and log to the engine; everything else that the engine of the
 * simulation does (+ − × ÷, sqrt, comparisons) is exact by IEEE 754. So whatever comes out of exp or log is rounded before
 * it goes into the state, and two engines agree unless a value lies within 10⁻¹³ of the middle between two such numbers.
 */
export function roundTo6(value: number): number {
  // −0 would be written as 0 and read back as another number.
  return Math.round(value * UNIT) / UNIT + 0;
}

export function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
