const DAY_MS = 86_400_000;
const GENESIS_MS = Date.parse('2025-07-03T00:00:00Z');

/** The cycle of a ledger timestamp's UTC day: C-0 is 2025-07-03 and all that came before, C-151 is 2025-12-01. */
export function cycleLabel(timestamp: string): string {
  return `C-${Math.max(0, Math.floor((Date.parse(timestamp) - GENESIS_MS) / DAY_MS))}`;
}
