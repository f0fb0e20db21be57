import { Counter, Gauge, type Registry } from 'prom-client';

/** One value of a metric that has labels. */
export interface Sample {
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** What docs/metrics.md says of a metric. */
export interface Described {
  /** Default: gauge. */
  type?: 'counter' | 'histogram';
  /** One sentence. */
  help: string;
  /** From small, fixed sets of values: each combination is a series that Prometheus keeps. */
  labels?: readonly string[];
}

/** A metric and how to read it from `Facts`. */
interface Metric<Facts> extends Described {
  type?: 'counter';
  /** Null: not known, which is written as NaN, and no alert compares with it. */
  read: (facts: Facts) => number | null | readonly Sample[];
}

/** By name. */
export type Metrics<Facts> = Readonly<Record<string, Metric<Facts>>>;

/** Adds metrics to a registry. Returns what sets them all from facts. */
export function register<Facts>(registry: Registry, metrics: Metrics<Facts>): (facts: Facts) => void {
  const setters = Object.entries(metrics).map(([name, { type, help, labels = [], read }]) => {
    const about = { name, help, labelNames: labels, registers: [registry] };
    const metric = type ? new Counter(about) : new Gauge(about);
    const set = (sample: Sample) =>
      metric instanceof Gauge
        ? metric.set(sample.labels, sample.value)
        : metric.inc(sample.labels, sample.value);
    return (facts: Facts) => {
      const value = read(facts);
      metric.reset();
      if (value === null || typeof value === 'number') set({ labels: {}, value: value ?? Number.NaN });
      else for (const sample of value) set(sample);
    };
  });
  return (facts) => {
    for (const set of setters) set(facts);
  };
}

/** One sample for each key of `values`. */
export function samplesBy(label: string, values: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(values).map(([key, value]) => ({ labels: { [label]: key }, value }));
}
