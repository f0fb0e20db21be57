/** MIC amounts as integers of 1e-6 MIC, so that sums are exact. */
const PLACES = 6;
const UNIT = 10n ** BigInt(PLACES);

/** `"12.5"` → 12500000n. The event schema has validated the text. */
export function parseAmount(text: string): bigint {
  const dot = text.indexOf('.');
  if (dot < 0) return BigInt(text) * UNIT;
  return BigInt(text.slice(0, dot) + text.slice(dot + 1).padEnd(PLACES, '0'));
}

/** 12500000n → `"12.5"`: the shortest decimal text, also for negative amounts. */
export function formatAmount(micro: bigint): string {
  return formatAllPlaces(micro).replace(/\.?0+$/, '');
}

/** 12500000n → `"12.500000"`. */
export function formatAllPlaces(micro: bigint): string {
  const sign = micro < 0n ? '-' : '';
  const digits = (micro < 0n ? -micro : micro).toString().padStart(PLACES + 1, '0');
  return `${sign}${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`;
}

/** The nearest double. For formulas only, never for sums. */
export function amountToNumber(micro: bigint): number {
  return Number(formatAllPlaces(micro));
}

/** A computed reward in MIC, rounded to 6 places and formatted as in the ledger. */
export function roundToAmount(mic: number): string {
  return formatAmount(BigInt(Math.round(mic * Number(UNIT))));
}
