import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomically } from '../atomic-file.ts';
import { parseCheckpoint } from '../checkpoint.ts';
import { snapshotFile } from '../directory.ts';
import { CompactRange } from '../merkle.ts';
import type { Verifier } from '../note.ts';
import { openNote } from '../open-note.ts';

const Hash = z.string().regex(/^[0-9a-f]{64}$/);

const LinkSchema = z.strictObject({
  event_id: z.string(),
  event_hash: Hash,
  previous_hash: Hash,
  timestamp: z.string(),
});

const ImportState = z.strictObject({
  format: z.literal('civic-import/1'),
  position: z.strictObject({
    snapshot: z.string(),
    size: z.int().min(0),
    range: z.array(Hash),
    timestamp: z.string().nullable(),
  }),
  /** The first event imported. */
  first: LinkSchema,
  /** The newest that are sealed, in order. */
  links: z.array(LinkSchema),
});
/** What saves an import from reading the whole local ledger. Lost or out of date, it is made again from that. */
export type ImportState = z.output<typeof ImportState>;

/** The state that the last import left; undefined where there is none that fits the ledger. */
export function readImportState(ledger: string, verifiers: readonly Verifier[]): ImportState | undefined {
  try {
    const state = ImportState.parse(JSON.parse(readFileSync(stateFile(ledger), 'utf8')));
    return fitsCheckpoint(ledger, state, verifiers) ? state : undefined;
  } catch {
    return undefined;
  }
}

export function writeImportState(ledger: string, state: ImportState): void {
  writeFileAtomically(stateFile(ledger), `${JSON.stringify(state)}\n`, true);
}

function stateFile(ledger: string): string {
  return join(ledger, 'civic-import.json');
}

function fitsCheckpoint(ledger: string, { position }: ImportState, verifiers: readonly Verifier[]): boolean {
  const path = snapshotFile(ledger, position.snapshot).checkpoint;
  const { size, root } = parseCheckpoint(openNote(readFileSync(path), verifiers, path).text, path);
  return size === position.size && root === CompactRange.resume(position.size, position.range).root();
}
