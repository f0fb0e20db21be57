import type { Chart } from '../../../../pipeline/charts/chart.ts';
import { siteFacts } from '../files/site-facts.ts';
import type { SiteRelease } from '../release.ts';

/** What is said of a chart that is not in its data: where it is published, from what, and in which state of the ledger. */
export interface ChartFacts {
  id: string;
  /** Without a slash at the end. */
  baseUrl: string;
  author: string;
  /** Time of the last event counted. */
  asOf: string;
  /** Label of the cycle of that event. */
  cycle: string;
  /** Of the ledger: id of the snapshot and root of the Merkle tree up to it. */
  snapshot: string;
  root: string;
  sources: { path: string; sha256: string }[];
}

export function chartFacts(release: SiteRelease, { id, sources }: Chart): ChartFacts {
  const { baseUrl, author, asOf, cycle, ledger } = siteFacts(release);
  const { snapshot, root } = ledger;
  // A chart that was opened has all of its files.
  const files = sources.map((path) => ({ path, sha256: release.find(path)!.sha256 }));
  return { id, baseUrl, author, asOf, cycle, snapshot, root, sources: files };
}
