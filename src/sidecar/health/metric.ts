/** One value of a metric that has labels. */
export interface Sample {
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** A metric and how to read it from `Facts`. */
interface Metric<Facts> {
  type: 'gauge' | 'counter';
  /** One sentence; docs/metrics.md shows it. */
  help: string;
  /** From small, fixed sets of values: each combination is a series that Prometheus keeps. */
  labels?: readonly string[];
  /** Null: not known, which is written as NaN, and no alert compares with it. */
  read: (facts: Facts) => number | null | readonly Sample[];
}

/** By name. */
export type Metrics<Facts> = Readonly<Record<string, Metric<Facts>>>;

/** In the text format of Prometheus. */
export function formatMetrics<Facts>(metrics: Metrics<Facts>, facts: Facts): string {
  return Object.entries(metrics)
    .map(([name, metric]) => formatMetric(name, metric, facts))
    .join('');
}

function formatMetric<Facts>(name: string, { type, help, read }: Metric<Facts>, facts: Facts): string {
  const value = read(facts);
  const samples = value === null || typeof value === 'number' ? [{ labels: {}, value: value ?? NaN }] : value;
  const lines = samples.map((sample) => `${name}${formatLabels(sample)} ${sample.value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n');
}

/** JSON escapes a backslash, a quote and a line break as Prometheus does. */
function formatLabels({ labels }: Sample): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/** One sample for each key of `values`. */
export function samplesBy(label: string, values: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(values).map(([key, value]) => ({ labels: { [label]: key }, value }));
}
