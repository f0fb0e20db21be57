import { micHistory } from '../../../../pipeline/artifacts/economy/mic-history.ts';
import type { SiteRelease } from '../release.ts';

export interface TakeAway {
  /** The reader's tool. */
  tool: string;
  /** One line that works as it is. */
  line: string;
}

const DATABASE = 'cathedral.sqlite';

/** How the minting history gets into each tool, in one line. */
export function takeAway(release: SiteRelease): TakeAway[] {
  const url = `${release.baseUrl}/${micHistory.path}`;
  const whole = `curl -O ${release.baseUrl}/${DATABASE}`;
  return [
    { tool: 'Shell', line: `curl -O ${url}` },
    { tool: 'pandas', line: `pandas.read_csv("${url}", parse_dates=["timestamp"])` },
    { tool: 'R', line: `readr::read_csv("${url}")` },
    { tool: 'DuckDB', line: `SELECT cathedral, sum(amount) FROM '${url}' GROUP BY ALL;` },
    { tool: 'Google Sheets', line: `=IMPORTDATA("${release.baseUrl}/economy/supply-by-day.csv")` },
    ...(release.willHave(DATABASE) ? [{ tool: 'Everything', line: whole }] : []),
  ];
}
