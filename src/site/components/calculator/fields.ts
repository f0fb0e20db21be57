/** One number that a reader enters. */
export interface Field {
  label: string;
  unit: string;
  least: number;
  most: number;
  step: number;
  default: number;
}

/** By the name of the parameter in the page's address. */
export const FIELDS = {
  s: { label: 'Coordination score s', unit: 'points', least: 0, most: 1000, step: 0.01, default: 50 },
  apps: { label: 'Apps', unit: 'count', least: 0, most: 1000, step: 1, default: 9 },
  packages: { label: 'Packages', unit: 'count', least: 0, most: 1000, step: 1, default: 5 },
  workflows: { label: 'Workflows', unit: 'count', least: 0, most: 1000, step: 1, default: 14 },
  drift: { label: 'Drift', unit: '0 (none) to 10', least: 0, most: 10, step: 0.01, default: 1.5 },
  uptime: { label: 'Uptime', unit: 'days', least: 0, most: 100_000, step: 1, default: 60 },
  multiplier: { label: 'Multiplier M', unit: '1 to 2', least: 1, most: 2, step: 0.01, default: 1.5 },
  mints: { label: 'Mints', unit: 'count', least: 1, most: 1_000_000, step: 1, default: 100 },
  supply: { label: 'Total supply', unit: 'MIC', least: 0, most: 1e15, step: 0.000001, default: 1e7 },
  mii: { label: 'Integrity index', unit: 'share, 0 to 1', least: 0, most: 1, step: 0.0001, default: 0.95 },
} as const satisfies Record<string, Field>;

export type FieldName = keyof typeof FIELDS;
export const FIELD_NAMES = Object.keys(FIELDS) as FieldName[];

/** Those that the score is computed from, where it is not entered itself. */
export const WORK: readonly FieldName[] = ['apps', 'packages', 'workflows', 'drift', 'uptime'];

const NUMBER = /^\d{1,16}(\.\d{1,12})?$/;

/** What was entered, within the field's limits; null for anything else. */
export function parseField(name: FieldName, text: string): number | null {
  const { least, most } = FIELDS[name];
  const value = NUMBER.test(text.trim()) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : null;
}
