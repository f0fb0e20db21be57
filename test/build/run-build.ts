import { type BuildOptions, type BuildReport, build as run } from '../../pipeline/build/build.ts';
import type { Contents, Pages } from '../../pipeline/build/plan.ts';

/** A build whose plan consists of parts, so that a test can override a single one. */
export interface BuildParts extends Omit<BuildOptions, 'plan'> {
  /** Default: incremental, from the current release. */
  rebuild?: boolean;
  until?: string;
  /** Default: the same as for the pages. */
  extras?: boolean;
  charts?: boolean;
  printCharts?: NonNullable<Contents['charts']>['print'];
  site?: boolean;
  print?: Pages['print'];
  prints?: Pages['prints'];
  /** Default: unsigned. */
  publisher?: BuildOptions['plan']['publisher'];
  /** Default: no snapshots. */
  snapshots?: BuildOptions['plan']['snapshots'];
}

export function build(parts: BuildParts): Promise<BuildReport> {
  const { rebuild = false, until, publisher = null, snapshots = null, site = false, ...more } = parts;
  const { extras = site, charts = site, printCharts = null, print = null, prints, ...options } = more;
  const contents = {
    formats: extras,
    charts: charts ? { print: printCharts } : null,
    pages: site ? { print, ...(prints && { prints }) } : null,
  };
  const from = rebuild ? 'genesis' : 'current';
  const plan = { purpose: 'publish', from, contents, publisher, snapshots, ...(until && { until }) } as const;
  return run({ ...options, plan });
}
