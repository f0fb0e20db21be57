import { readdir, readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';

export const PROJECT = resolve(import.meta.dirname, '../../..');

const TABLES = resolve(import.meta.dirname, '../planted');

/** A mistake in the program that a test has to find. */
export interface PlantedFault {
  /** What the program then does, as a sentence. */
  name: string;
  /** The promise that it breaks, as users read it. */
  breaks: string;
  /** Path of the file, from the project's folder. */
  file: string;
  /** Text that occurs exactly once in the file, and what stands there instead. */
  change: readonly [from: string, to: string];
  /** Test files that have to find it, the cheapest first. */
  tests: readonly string[];
}

export interface RoomFault extends PlantedFault {
  /** The name of the table. */
  room: string;
}

/** The faults of all tables test/faults/planted/<room>.txt, by room. */
export async function handMadeFaults(): Promise<RoomFault[]> {
  const names = (await readdir(TABLES)).sort();
  const tables = await Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(TABLES, name), 'utf8');
      const blocks = text
        .replaceAll(/^#.*\n/gm, '')
        .trim()
        .split(/\n{2,}/);
      return blocks.map((block) => ({ ...readFault(block, name), room: basename(name, '.txt') }));
    }),
  );
  return tables.flat();
}

/**
 * Its name, the promise that it breaks, `FILE: TESTS` with tests as contract/lies for test/contract/lies.test.ts, the lines that are taken
 * out behind `-` and those in their place behind `+`. A line end behind the last one is an empty line.
 */
function readFault(block: string, table: string): PlantedFault {
  const [name = '', breaks = '', where = '', ...lines] = block.split('\n');
  const [, file = '', tests = ''] = /^ {2}(\S+): (.+)$/.exec(where) ?? [];
  if (file === '' || lines.some((line) => !/^[-+]( |$)/.test(line)))
    throw new Error(
      `${table}: expected a name, a promise, a file with its tests, and lines with - and +: ${block}`,
    );
  const side = (sign: string) =>
    lines
      .filter((line) => line.startsWith(sign))
      .map((line) => line.slice(2))
      .join('\n');
  return {
    name,
    breaks: breaks.trim(),
    file,
    change: [side('-'), side('+')],
    tests: tests.split(' ').map((test) => `test/${test}.test.ts`),
  };
}

/** The text of the fault's file with the fault in it. Throws where the file does not say once what is to be changed. */
export async function withFault(tree: string, { name, file, change }: PlantedFault): Promise<string> {
  const text = await readFile(join(tree, file), 'utf8').catch(() => {
    throw new Error(`${name}: there is no ${file}`);
  });
  const [from, to] = change;
  const parts = text.split(from);
  if (parts.length !== 2)
    throw new Error(`${name}: ${file} has to have once, not ${parts.length - 1} times: ${from}`);
  return parts.join(to);
}
