import { completeEvent, type NextPlace, ownTime } from './draft.ts';
import type { LedgerEvent } from './event.ts';

/** The agent of events that an import adds. They have no `data.source`. */
export const IMPORT_AGENT = 'IMPORT';
/** Rows, or remote events, that an alert names. */
const NAMED = 20;
/** Changes that one alert lists, so that its line is not too long. */
export const ALERT_CHANGES = 100;
/** More changes than that are no corrections: it is another table, an older copy, or another mapping. */
export const MAX_CHANGES = 1000;
/** Fewer than that may all have been changed. */
export const FEW_ROWS = 10;

/** What an import found, as an event of the ledger. */
export function importAlert(
  alert: string,
  { message, ...more }: { message: string } & Record<string, unknown>,
  { salt, ...next }: NextPlace & { salt: string },
  timestamp: string = ownTime(next),
): LedgerEvent {
  // Nothing will ever clear this alert, and a warning would leave the system degraded for good.
  const data = { alert, severity: 'info', scope: 'ledger', message, ...more };
  const draft = { type: 'alert_raised', agent: IMPORT_AGENT, data, timestamp, salt };
  return completeEvent(draft, next);
}

/** The first of many names, for an alert that lists them. */
export function firstNamed(names: readonly string[]): string[] {
  return names.slice(0, NAMED);
}

/** `17, 18, 19`; of many, the first ones and the number of the others. */
export function listed(names: readonly string[]): string {
  const more = names.length - NAMED;
  return names.slice(0, NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
