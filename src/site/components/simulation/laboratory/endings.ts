import { wilsonInterval } from '../../../../simulation/laboratory/interval.ts';
import type { RunRow } from '../../../../simulation/laboratory/run-row.ts';
import { scenarioNamed } from '../../../../simulation/scenarios.ts';

export interface EndingShare {
  name: string;
  title: string;
  count: number;
  /** Count ÷ runs, and its 95 % interval; all 0 without runs. */
  share: number;
  low: number;
  high: number;
}

/** How often each ending of the scenario was reached, in the scenario's order; those that were not are included. */
export function endingShares(scenario: string, rows: readonly Pick<RunRow, 'ending'>[]): EndingShare[] {
  const total = rows.length;
  return scenarioNamed(scenario).endings.map(({ name, title }) => {
    const count = rows.filter(({ ending }) => ending === name).length;
    const interval = total === 0 ? { low: 0, high: 0 } : wilsonInterval(count, total);
    return { name, title, count, share: total === 0 ? 0 : count / total, ...interval };
  });
}
