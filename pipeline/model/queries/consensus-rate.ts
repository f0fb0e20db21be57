import type { Deliberation, State } from '../state.ts';
import { within } from '../window.ts';

/** Share of `count` in `of`; of nothing it is 1: where nothing was asked for, nothing is missing. */
export function share(count: number, of: number): number {
  return of === 0 ? 1 : count / of;
}

/** Deliberations closed in the last thirty days. */
export function recentlyClosed(state: State): Deliberation[] {
  return within(state.deliberations, state.asOf, (deliberation) => deliberation.closed_at);
}

/** Share in [0, 1] of the deliberations closed in the last thirty days that reached consensus. */
export function consensusRate(state: State): number {
  const closed = recentlyClosed(state);
  return share(closed.filter((deliberation) => deliberation.consensus === 'reached').length, closed.length);
}
