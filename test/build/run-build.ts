import { type BuildOptions, type BuildReport, build as run } from '../../pipeline/build/build.ts';
import type { Printing } from '../../pipeline/build/plan.ts';

/** A build whose plan consists of parts, so that a test can override a single one. */
export interface BuildParts extends Omit<BuildOptions, 'plan'> {
  /** Default: incremental, from the current release. */
  rebuild?: boolean;
  until?: string;
  /** Tables in other formats and catalogues, which the charts have, too, and the pages all of these. */
  extras?: boolean;
  charts?: boolean;
  printCharts?: Printing['charts'];
  site?: boolean;
  print?: Printing['page'] | null;
  prints?: Printing['prints'];
  /** Default: unsigned. */
  publisher?: BuildOptions['plan']['publisher'];
  /** Default: no snapshots. */
  snapshots?: BuildOptions['plan']['snapshots'];
}

export function build(parts: BuildParts): Promise<BuildReport> {
  const { rebuild = false, until, publisher = null, snapshots = null, site = false, ...more } = parts;
  const { extras = false, charts = false, printCharts = null, print = null, prints, ...options } = more;
  const upTo = site ? 'pages' : charts ? 'charts' : extras ? 'formats' : 'data';
  const page = print ?? (async () => Buffer.from(''));
  const printing = (print || printCharts) && { charts: printCharts, page, ...(prints && { prints }) };
  const contents = { upTo, printing } as const;
  const from = rebuild ? 'genesis' : 'current';
  const plan = { purpose: 'publish', from, contents, publisher, snapshots, ...(until && { until }) } as const;
  return run({ ...options, plan });
}
