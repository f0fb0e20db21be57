import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HISTORIES } from '../../pipeline/artifacts/table.ts';
import { formPath, TABLES } from '../../pipeline/formats/tables.ts';
import type { Leaf } from '../../pipeline/ledger/log/leaf.ts';

type Line = Record<string, unknown> & { event?: number; first_event?: number; last_event?: number };

/** The lines of each history of a release in JSON lines, newest first, by the path of the history. */
export async function linesOf(dir: string): Promise<Map<string, Line[]>> {
  const tables = TABLES.filter(({ grows }) => grows);
  const read = async (table: (typeof tables)[number]) => {
    const text = await readFile(join(dir, 'public', formPath(table, '.ndjson')), 'utf8');
    const lines = text
      .split('\n')
      .slice(0, -1)
      .map((line): Line => JSON.parse(line));
    return [table.artifact.path, lines] as const;
  };
  return new Map(await Promise.all(tables.map(read)));
}

/** A history with a row per event, made of nothing but the events that its lines name. */
export function restore(path: string, lines: readonly Line[], leaves: readonly Leaf[]): string {
  const { rows, separator } = HISTORIES.find((history) => history.path === path)!;
  const named = lines.map(({ event }) => event!);
  const once = named.filter((event, index) => event !== named[index - 1]);
  return once.flatMap((event) => rows(leaves[event]!).toReversed()).join(separator);
}

/** The first and the last event of each day with events. */
export function rangesOf(leaves: readonly Leaf[]): Map<string, { first_event: number; last_event: number }> {
  const days = new Map<string, { first_event: number; last_event: number }>();
  for (const [index, { event }] of leaves.entries()) {
    const day = event.timestamp.slice(0, 10);
    days.set(day, { first_event: days.get(day)?.first_event ?? index, last_event: index });
  }
  return days;
}

/** What the archive's lines should say of a deliberation: who took the positions that they name, and what was closed and opened. */
export function archived(line: Line, leaves: readonly Leaf[]) {
  const at = (index: unknown) => leaves[index as number]!.event;
  const { event, opened_event, position_events } = line;
  const own = [at(opened_event), ...(position_events as number[]).map(at), at(event)];
  return own.map(({ type, agent, timestamp, data }) => ({
    type,
    agent,
    timestamp,
    deliberation: (data as { deliberation: string }).deliberation,
    position: (data as { position?: string }).position,
  }));
}
