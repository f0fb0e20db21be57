import { share } from '../formulas.ts';
import type { Deliberation, State } from '../state.ts';
import { within } from '../window.ts';

/** Deliberations closed in the last thirty days. */
export function recentlyClosed(state: State): Deliberation[] {
  return within(state.deliberations, state.asOf, (deliberation) => deliberation.closed_at);
}

/** Share in [0, 1] of the deliberations closed in the last thirty days that reached consensus. Null if none was closed. */
export function consensusRate(state: State): number | null {
  const closed = recentlyClosed(state);
  return share(closed.filter((deliberation) => deliberation.consensus === 'reached').length, closed.length);
}
