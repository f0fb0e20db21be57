import { Counter, Gauge, type Registry } from 'prom-client';

/** What docs/metrics.md says of a metric. */
export interface Described {
  /** Default: gauge. */
  type?: 'counter' | 'histogram';
  /** One sentence. */
  help: string;
  /** From small, fixed sets of values: each combination is a series that Prometheus keeps. */
  labels?: readonly string[];
}

/** One value of a metric that has labels. */
export interface Sample {
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** By name, what is read from `Facts` when somebody asks. */
export type Gauges<Facts> = Readonly<
  Record<
    string,
    Described & {
      /** Null: not known, which is written as NaN, and no alert compares with it. */
      read: (facts: Facts) => number | null | readonly Sample[];
    }
  >
>;

export function addGauges<Facts>(registry: Registry, gauges: Gauges<Facts>, facts: () => Facts): void {
  for (const [name, { help, labels = [], read }] of Object.entries(gauges))
    new Gauge({
      ...{ name, help, labelNames: labels, registers: [registry] },
      collect() {
        const value = read(facts());
        this.reset();
        if (value === null || typeof value === 'number') this.set(value ?? Number.NaN);
        else for (const sample of value) this.set(sample.labels, sample.value);
      },
    });
}

/** By name, what is counted as it happens. */
export type Counters<Name extends string> = Readonly<Record<Name, Counter>>;

export function addCounters<Name extends string>(
  registry: Registry,
  counters: Readonly<Record<Name, Described>>,
): Counters<Name> {
  const all = Object.entries<Described>(counters).map(([name, { help, labels = [] }]) => [
    name,
    new Counter({ name, help, labelNames: labels, registers: [registry] }),
  ]);
  return Object.fromEntries(all);
}

/** One sample for each key of `values`, but for those of which nothing is read. */
export function samplesBy<Value>(
  label: string,
  values: Readonly<Record<string, Value>>,
  read: (value: Value) => number | undefined,
): Sample[] {
  return Object.entries(values).flatMap(([key, one]) => {
    const value = read(one);
    return value === undefined ? [] : [{ labels: { [label]: key }, value }];
  });
}
