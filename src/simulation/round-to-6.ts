/** Decimal places of a MIC amount in the ledger; here of every number of the state. */
const UNIT = 1e6;

/**
 * Rounds to six places. ECMAScript leaves the last bits of exp and log to the engine; all other operations used here (+ − × ÷,
 * sqrt, comparisons) are exact by IEEE 754. Results of exp and log are therefore rounded before they enter the state, and two
 * engines agree unless a value lies within 10⁻¹³ of the midpoint between two such numbers.
 */
export function roundTo6(value: number): number {
  // −0 would be written as 0 and read back as a different number.
  return Math.round(value * UNIT) / UNIT + 0;
}

export function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
