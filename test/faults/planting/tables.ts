import { readdir, readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { PlantedFault } from '../planted/planted-fault.ts';

export const PROJECT = resolve(import.meta.dirname, '../../..');

const TABLES = resolve(import.meta.dirname, '../planted');

export interface RoomFault extends PlantedFault {
  /** The name of the table. */
  room: string;
}

/** The faults of all tables test/faults/planted/<room>.ts, by room. */
export async function handMadeFaults(): Promise<RoomFault[]> {
  const names = (await readdir(TABLES)).filter((name) => name !== 'planted-fault.ts').sort();
  const tables = await Promise.all(
    names.map(async (name) => {
      const { FAULTS } = (await import(join(TABLES, name))) as { FAULTS: readonly PlantedFault[] };
      return FAULTS.map((fault) => ({ ...fault, room: basename(name, '.ts') }));
    }),
  );
  return tables.flat();
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
