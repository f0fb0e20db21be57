import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const PROJECT = resolve(import.meta.dirname, '../..');
const DURATIONS = join(import.meta.dirname, 'durations.json');
/** Of a file that is not in the list, s: it is new, or short. */
const UNKNOWN = 2;
/** Files from this on begin before all others, in a random order as well: begun last, one worker would go on alone. s */
const LONG = 20;

/** Of the order of files. With `SEED=…` it is that of an earlier run; in CI it is another one each time; null: the longest first. */
export const seed = seedOf(process.env);

function seedOf({ SEED, CI }: NodeJS.ProcessEnv): number | null {
  if (SEED) return Number(SEED);
  return CI ? Math.floor(Math.random() * 1e6) : null;
}

/** The longest files first, as durations.json has them, or in a random order. */
export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = JSON.parse(readFileSync(DURATIONS, 'utf8')) as Record<string, number>;
    const order = inOrder(
      files.map(({ moduleId }) => relative(PROJECT, moduleId)),
      seconds,
      seed,
    );
    const place = new Map(order.map((file, index) => [join(PROJECT, file), index]));
    return [...files].sort((one, other) => place.get(one.moduleId)! - place.get(other.moduleId)!);
  }
}

/** `seconds`: of each file that takes long. */
export function inOrder(
  files: readonly string[],
  seconds: Readonly<Record<string, number>>,
  seed: number | null,
): string[] {
  const long = (file: string) => seconds[file] ?? UNKNOWN;
  const sorted = [...files].sort().sort((one, other) => long(other) - long(one));
  if (seed === null) return sorted;
  // Of each file by itself, so that another file more or less changes nothing for the rest.
  const drawn = (file: string) => hash('sha256', `${seed} ${file}`);
  return sorted.sort(
    (one, other) =>
      Number(long(other) >= LONG) - Number(long(one) >= LONG) || (drawn(one) < drawn(other) ? -1 : 1),
  );
}

/** Rewrites the list, after a run of everything; `seconds` of every file. */
export function writeDurations(seconds: ReadonlyMap<string, number>): void {
  const long = [...seconds]
    .map(([file, duration]) => [file, Math.round(duration)] as const)
    .filter(([, duration]) => duration > UNKNOWN)
    .sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1));
  writeFileSync(DURATIONS, `${JSON.stringify(Object.fromEntries(long), null, 2)}\n`);
}
