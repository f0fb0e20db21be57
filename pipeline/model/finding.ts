import type { LedgerEvent } from '../ledger/events/event.ts';
import type { State } from './state.ts';

const MAX_RECENT = 100;

/**
 * Records a contradiction in the ledger. The event still counts, because it happened. Readers see an alert (severity warning, scope
 * ledger) for thirty days, and operators a warning in the run.
 */
export function addFinding(state: State, event: LedgerEvent, message: string, sentinel?: string): void {
  state.findings.total += 1;
  state.findings.recent.push({
    id: `finding-${event.seq}-${state.findings.total}`,
    severity: 'warning',
    scope: 'ledger',
    message: `Event ${event.seq}: ${message}`,
    raised_at: event.timestamp,
    ...(sentinel === undefined ? {} : { sentinel }),
  });
  if (state.findings.recent.length > MAX_RECENT) state.findings.recent.shift();
}
