import type { Shown } from '../../../simulation/view.ts';
import type { RecordedRun } from './recorded.ts';

const COLUMNS = [
  'tick',
  'cycle',
  'sentinel',
  'cathedral',
  'position',
  'opinion',
  'innate_opinion',
  'status',
  'drift',
  'gi_score',
  'coordination_score',
  'total_rewards',
  'mii',
  'threshold',
  'total_supply',
] as const;

/** A row for each sentinel and tick. Without a byte order mark, lines end with a line feed (RFC 4180 but for that). */
export function transcriptCsv(history: readonly Shown[]): string {
  const rows = history.flatMap(({ tick, sentinels, current_state: { cycle, economy } }) =>
    sentinels.map((one) => {
      const { id, cathedral, position, opinion, innate_opinion, status, drift } = one;
      const { mii, threshold, total_supply } = economy;
      const { gi_score, coordination_score, total_rewards } = one;
      const ofSentinel = [position, opinion, innate_opinion, status, drift, gi_score, coordination_score];
      return [tick, cycle, id, cathedral, ...ofSentinel, total_rewards, mii, threshold, total_supply].join(
        ',',
      );
    }),
  );
  return `${[COLUMNS.join(','), ...rows].join('\n')}\n`;
}

/** Everything that was shown, and what is needed to have it computed again. `address`: where the page replays it. */
export function transcriptJson(run: RecordedRun, history: readonly Shown[], address: string): string {
  const updates = history.map(({ tick, sentinels, current_state, next_actions }) => ({
    tick,
    sentinels,
    current_state,
    next_actions: next_actions.map(({ name }) => name),
  }));
  return `${JSON.stringify({ format: 'cathedral-simulation/1', address, ...run, updates }, null, 2)}\n`;
}
