/** A line of what the bench prints. */
export interface Figure {
  what: string;
  measured: string;
  reference: string;
  ratio: string;
  bound: string;
  verdict: 'met' | 'MISSED' | '';
}

/** Told of each figure as soon as it is measured. */
export type Report = (...figures: Figure[]) => void;

export type Benchmark = (report: Report) => Promise<void>;

/** What became of one benchmark. */
export interface Measured {
  name: string;
  seconds: number;
  figures: Figure[];
  /** Why it did not go to its end. */
  failed: string | null;
}

/**
 * Runs one after the other and prints each figure as soon as it is there: what was measured stays, whatever happens to the
 * others. `status` is 1 where a bound was missed or a benchmark failed, which the last lines name.
 */
export async function runBenchmarks(
  benchmarks: Readonly<Record<string, Benchmark>>,
  print: (line: string) => void,
): Promise<{ status: 0 | 1; measured: Measured[] }> {
  const measured: Measured[] = [];
  for (const [name, run] of Object.entries(benchmarks)) {
    print(`${name} …`);
    const figures: Figure[] = [];
    const begun = performance.now();
    const failed = await run((...more) => {
      for (const figure of more) print(formatFigure(figure));
      figures.push(...more);
    }).then(() => null, whyFailed);
    if (failed !== null) print(`${name} FAILED: ${failed}`);
    const seconds = Math.round((performance.now() - begun) / 1000);
    print(`  ${name} took ${seconds} s`);
    measured.push({ name, seconds, figures, failed });
  }
  const missed = measured.flatMap(({ figures }) => figures.filter(({ verdict }) => verdict === 'MISSED'));
  const failed = measured.filter((one) => one.failed !== null);
  if (missed.length > 0) print(`bounds that were missed: ${missed.map(({ what }) => what).join('; ')}`);
  if (failed.length > 0) print(`benchmarks that failed: ${failed.map(({ name }) => name).join(', ')}`);
  return { status: missed.length + failed.length > 0 ? 1 : 0, measured };
}

/** A reference that is not installed is named: `spawn wrk ENOENT` is what Node says. */
function whyFailed(error: unknown): string {
  if (!(error instanceof Error)) return `${error}`;
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' && syscall?.startsWith('spawn')
    ? `${path} is missing`
    : (error.stack ?? `${error}`);
}

/** `  met     next run ÷ first release: 8.1 s, beside 20.3 s, 0.40 (≤ 0.6)` */
function formatFigure({ what, measured, reference, ratio, bound, verdict }: Figure): string {
  const most = bound === '' ? '' : ` (${bound})`;
  return `  ${verdict.padEnd(7)} ${what}: ${measured}, beside ${reference}: ${ratio}${most}`;
}

/** A ratio that is not to be above its bound; `unit` is that of both values. */
export function compare(
  what: string,
  value: number,
  reference: number,
  unit: string,
  bound?: number,
): Figure {
  const ratio = value / reference;
  return {
    what,
    measured: `${value.toFixed(1)} ${unit}`,
    reference: `${reference.toFixed(1)} ${unit}`,
    ratio: ratio.toFixed(2),
    bound: bound === undefined ? '' : `≤ ${bound}`,
    verdict: bound === undefined ? '' : ratio <= bound ? 'met' : 'MISSED',
  };
}

/** A ratio that is not to be below its bound. */
export function atLeast(what: string, value: number, reference: number, unit: string, bound: number): Figure {
  const verdict = value / reference >= bound ? 'met' : 'MISSED';
  return { ...compare(what, value, reference, unit), bound: `≥ ${bound}`, verdict };
}
