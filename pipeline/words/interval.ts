import { durationSeconds } from './duration.ts';

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** `PT6H` → `6 hours`, `P1D` → `day`: how often, after “every”. What has no length that can be said stays as it is. */
export function formatInterval(duration: string): string {
  const seconds = durationSeconds(duration);
  const found = UNITS.find(([, length]) => seconds >= length && seconds % length === 0);
  if (!found || !Number.isSafeInteger(seconds)) return duration;
  const [unit, length] = found;
  return seconds === length ? unit : `${seconds / length} ${unit}s`;
}
