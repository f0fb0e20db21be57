import { type SetUp, seedCount } from '../../../../simulation/laboratory/set-up.ts';
import { VERSIONS } from '../../../../simulation/versions.ts';

/** A batch that was played, as far as it came. */
export interface Played {
  setUp: SetUp;
  /** Runs that were played, and that the set-up has. */
  runs: number;
  of: number;
}

/** Everything that the runs follow from, as JSON; `address` repeats it on the page. */
export function setUpJson({ setUp, runs, of }: Played, address: string): string {
  const { scenario, ...rest } = setUp;
  const content = {
    format: 'cathedral-simulation-batch/1',
    address,
    scenario,
    version: VERSIONS[scenario],
    ...rest,
    runs,
    is_partial: runs < of,
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** `model_drift-1-200.csv`, or `model_drift-1-200-partial.csv`. */
export function fileName({ setUp, runs, of }: Played, ending: string): string {
  const { scenario, seeds } = setUp;
  const range = seedCount(setUp) === 1 ? `${seeds.from}` : `${seeds.from}-${seeds.to}`;
  return `${scenario}-${range}${runs < of ? '-partial' : ''}.${ending}`;
}
