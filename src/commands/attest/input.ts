import { stat } from 'node:fs/promises';
import { readAtMost } from '../../../pipeline/artifacts/read-companions.ts';
import { printable } from '../../../pipeline/attestation/printable.ts';
import type { Problem } from '../../../pipeline/attestation/problem.ts';
import { MAX_BYTES } from '../../../pipeline/attestation/read-json.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import type { Context } from '../command.ts';

export const STANDARD_INPUT = '-';

/** One byte more than the limit, which is enough to notice that there is more. */
const READ_BYTES = MAX_BYTES + 1;

/** The beginning of a file or of standard input. Throws attestation_refused if it cannot be read. */
export async function readInput(name: string): Promise<Uint8Array> {
  try {
    return await (name === STANDARD_INPUT ? readStandardInput() : readAtMost(name, READ_BYTES));
  } catch (cause) {
    const found = (cause as NodeJS.ErrnoException).code ?? String(cause);
    const fault = { place: name, expected: 'a readable file', found, cause };
    throw new CathedralError('attestation_refused', fault);
  }
}

/**
 * A key or a passphrase. Throws attestation_refused if it cannot be read, and for a file that others than its owner may read or
 * change. A pipe has no permissions to check.
 */
export async function readPrivate(name: string): Promise<string> {
  const found = name === STANDARD_INPUT ? null : await stat(name).catch(() => null);
  if (found?.isFile() && (found.mode & 0o077) !== 0) {
    const expected = 'a file that only its owner can read: chmod 600';
    const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
    throw new CathedralError('attestation_refused', { place: name, expected, found: `mode ${mode}` });
  }
  return Buffer.from(await readInput(name)).toString();
}

async function readStandardInput(): Promise<Uint8Array> {
  // Without this, a user who forgot --file would see nothing happen.
  if (process.stdin.isTTY) process.stderr.write('Reading the document from the terminal; Ctrl-D ends it.\n');
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_BYTES) break;
  }
  return Buffer.concat(chunks);
}

/** Prints the problems of a document. `flagFor`: the flag that a place in the document comes from, if any. */
export function printProblems(
  problems: readonly Problem[],
  progress: Context['progress'],
  flagFor: (pointer: string) => string | null = () => null,
): void {
  for (const { code, pointer, message } of problems) {
    const place = pointer || '/';
    const flag = flagFor(pointer);
    progress.note(printable(`${flag === null ? place : `${flag} (${place})`}: ${message} (${code})`));
  }
}
