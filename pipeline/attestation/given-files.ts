import { existsSync, globSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { givenText, readAtMost } from '../disk/read-given.ts';
import { CathedralError } from '../errors.ts';
import { type Json, type JsonObject, MAX_BYTES, readLimitedJson } from './limited-json.ts';
import { type Problem, problem } from './problem.ts';

const STANDARD_INPUT = '-';

/** One byte more than the limit, which is enough to notice that there is more. */
const READ_BYTES = MAX_BYTES + 1;

/** The beginning of a file or of standard input. Throws attestation_refused if it cannot be read. */
export async function readDocument(name: string): Promise<Uint8Array> {
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
  return givenText(Buffer.from(await readDocument(name)), name, 'attestation_refused');
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

/**
 * The files that a list of names and patterns stands for, each once. The name of a file that exists stands for that file, even if
 * it contains commas, brackets or stars. Throws usage for a pattern without a match.
 */
export function filesNamed(names: string): string[] {
  if (existsSync(names)) return [names];
  const files = names.split(',').flatMap((name) => {
    if (name === STANDARD_INPUT || !/[*?[{]/.test(name) || existsSync(name)) return [name];
    const found = globSync(name).sort();
    if (found.length > 0) return found;
    const fault = { place: '--file', expected: 'a pattern that matches files', found: name };
    throw new CathedralError('usage', fault);
  });
  return [...new Set(files)];
}

/** A JSON file; null without a path. Throws attestation_refused. */
export async function readJsonFile(path: string | null): Promise<Json | null> {
  if (path === null) return null;
  const read = readLimitedJson(await readDocument(path));
  if (read.problem) throw notObject(path, read.problem);
  return read.value;
}

/** Throws attestation_refused for JSON that is no object. */
export async function readJsonObject(path: string | null): Promise<JsonObject | null> {
  const value = await readJsonFile(path);
  if (value === null || (typeof value === 'object' && !Array.isArray(value))) return value;
  throw notObject(path!, problem('wrong_type', []));
}

function notObject(place: string, { message, pointer }: Problem): CathedralError {
  const found = pointer === '' ? message : `${pointer}: ${message}`;
  return new CathedralError('attestation_refused', { place, expected: 'a JSON object', found });
}
