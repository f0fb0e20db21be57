const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];
const STEP = 1000;

/** `482` → `482 bytes`, `20480` → `20.5 kB`: powers of 1000, three digits at most. */
export function formatBytes(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= STEP && unit < UNITS.length - 1) [value, unit] = [value / STEP, unit + 1];
  return `${unit === 0 ? value : value.toPrecision(3)}\u00a0${UNITS[unit]}`;
}
