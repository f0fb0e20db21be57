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

/**
 * Runs one after the other and prints each figure as soon as it is there: what was measured stays, whatever happens to the
 * others. Resolves to the exit status: 1 where a bound was missed or a benchmark failed, which the last line names.
 */
export async function runBenchmarks(
  benchmarks: Readonly<Record<string, Benchmark>>,
  print: (line: string) => void,
): Promise<0 | 1> {
  const missed: string[] = [];
  const failed: string[] = [];
  for (const [name, run] of Object.entries(benchmarks)) {
    print(`${name} …`);
    const report: Report = (...figures) => {
      for (const figure of figures) print(formatFigure(figure));
      missed.push(...figures.filter(({ verdict }) => verdict === 'MISSED').map(({ what }) => what));
    };
    await run(report).catch((error: unknown) => {
      failed.push(name);
      print(`${name} FAILED: ${error instanceof Error ? error.stack : error}`);
    });
  }
  if (missed.length > 0) print(`bounds that were missed: ${missed.join('; ')}`);
  if (failed.length > 0) print(`benchmarks that failed: ${failed.join(', ')}`);
  return missed.length + failed.length > 0 ? 1 : 0;
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
