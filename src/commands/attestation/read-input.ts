import { existsSync, globSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { readAtMost } from '../../../pipeline/artifacts/read-at-most.ts';
import { MAX_BYTES } from '../../../pipeline/attestation/read-json.ts';
import { CathedralError } from '../../../pipeline/errors.ts';

const STANDARD_INPUT = '-';

/** A byte more than what is looked at: enough to see that there is more. */
const READ_BYTES = MAX_BYTES + 1;

/**
 * The files that a list of names and patterns stands for, each once. What is the name of a file stands for that one, whatever
 * is in it: commas, brackets, stars. Throws usage for a pattern that no file fits.
 */
export function listFiles(names: string): string[] {
  if (existsSync(names)) return [names];
  const files = names.split(',').flatMap((name) => {
    if (name === STANDARD_INPUT || !/[*?[{]/.test(name) || existsSync(name)) return [name];
    const found = globSync(name).sort();
    if (found.length > 0) return found;
    throw new CathedralError('usage', { place: '--file', expected: 'a pattern that files fit', found: name });
  });
  return [...new Set(files)];
}

/** The beginning of a file or of standard input. Throws attestation_refused where it cannot be read. */
export async function readInput(name: string): Promise<Uint8Array> {
  try {
    return await (name === STANDARD_INPUT ? readStandardInput() : readAtMost(name, READ_BYTES));
  } catch (cause) {
    const found = (cause as NodeJS.ErrnoException).code ?? String(cause);
    throw new CathedralError('attestation_refused', {
      place: name,
      expected: 'a file that can be read',
      found,
      cause,
    });
  }
}

/**
 * A key or a passphrase. Throws attestation_refused where it cannot be read, or where it is a file that others than its owner may
 * read or change; a pipe has no others.
 */
export async function readPrivate(name: string): Promise<string> {
  const found = name === STANDARD_INPUT ? null : await stat(name).catch(() => null);
  if (found?.isFile() && (found.mode & 0o077) !== 0) {
    const expected = 'a file that its owner alone can read: chmod 600';
    const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
    throw new CathedralError('attestation_refused', { place: name, expected, found: `mode ${mode}` });
  }
  return Buffer.from(await readInput(name)).toString();
}

async function readStandardInput(): Promise<Uint8Array> {
  // Nothing to be seen for somebody who has forgotten --file.
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
