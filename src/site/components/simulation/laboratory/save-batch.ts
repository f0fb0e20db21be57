import { runsCsv } from '../../../../simulation/laboratory/run-row.ts';
import { runCount, seedCount } from '../../../../simulation/laboratory/set-up.ts';
import { VERSIONS } from '../../../../simulation/versions.ts';
import { saveFile } from '../../save-file.ts';
import type { BatchResults } from './results-view.ts';

/** Saves a batch as far as it was played: its runs as `csv`, or as `json` what they follow from. `address` repeats it on the page. */
export function saveBatch(ending: string, played: BatchResults, address: string): void {
  const [type, text] =
    ending === 'csv'
      ? ['text/csv', runsCsv(played.setUp, played.rows)]
      : ['application/json', setUpJson(played, address)];
  saveFile(fileName(played, ending), new Blob([text], { type }));
}

function setUpJson({ setUp, rows }: BatchResults, address: string): string {
  const { scenario, ...rest } = setUp;
  const content = {
    format: 'cathedral-simulation-batch/1',
    address,
    scenario,
    version: VERSIONS[scenario],
    ...rest,
    runs: rows.length,
    is_partial: rows.length < runCount(setUp),
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** `model_drift-1-200.csv`, or `model_drift-1-200-partial.csv`. */
function fileName({ setUp, rows }: BatchResults, ending: string): string {
  const { scenario, seeds } = setUp;
  const range = seedCount(setUp) === 1 ? `${seeds.from}` : `${seeds.from}-${seeds.to}`;
  return `${scenario}-${range}${rows.length < runCount(setUp) ? '-partial' : ''}.${ending}`;
}
