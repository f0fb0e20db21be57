import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readDocuments } from '../../../pipeline/artifacts/documents.ts';
import { CathedralError } from '../../../pipeline/errors.ts';

export const REAL = fileURLToPath(new URL('../../../data/documents', import.meta.url));

/** Copies of the service's documents that a test may damage; `remove` takes all of them away. */
export function openCopies(): { next(): string; remove(): void } {
  const scratch = mkdtempSync(join(tmpdir(), 'documents-'));
  let count = 0;
  return {
    next() {
      const dir = join(scratch, String(count++));
      cpSync(REAL, dir, { recursive: true });
      return dir;
    },
    remove: () => rmSync(scratch, { recursive: true }),
  };
}

/** Changes a file's text, and fails where the change changes nothing: the test would prove nothing. */
export function edit(dir: string, file: string, change: (text: string) => string | Buffer): void {
  const before = readFileSync(join(dir, file), 'utf8');
  const after = change(before);
  if (after === before) throw new Error(`the edit changes nothing in ${file}`);
  writeFileSync(join(dir, file), after);
}

/** What readDocuments refuses the folder with, as if that were `data/documents`. */
export async function faultOf(dir: string): Promise<CathedralError> {
  const error: unknown = await readDocuments(dir).then(
    () => new Error('nothing was thrown'),
    (reason: unknown) => reason,
  );
  if (error instanceof CathedralError) {
    const { code, expected, found } = error;
    return new CathedralError(code, { place: error.place.replace(dir, 'data/documents'), expected, found });
  }
  throw error;
}
