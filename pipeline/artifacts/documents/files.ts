import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorOf } from '../../errors.ts';

const refusal = errorOf('document_invalid');

/** Far above any document; a larger file is a mistake. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** The files of a folder by their path below it (`papers/x.md`), sorted by name. */
export type DocumentFiles = ReadonlyMap<string, Buffer>;

/** Reads every file below `dir`; refuses links and devices. */
export async function readFiles(dir: string): Promise<DocumentFiles> {
  const files = new Map<string, Buffer>();
  for (const path of await list(dir, '')) files.set(path.normalize('NFC'), await read(join(dir, path)));
  return files;
}

/** SHA-256 over names, lengths and bytes of all files, sorted by name; hex. */
export function digestFiles(files: DocumentFiles): string {
  const hash = createHash('sha256');
  for (const [path, bytes] of files) hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  return hash.digest('hex');
}

async function list(dir: string, below: string): Promise<string[]> {
  const entries = await readdir(join(dir, below), { withFileTypes: true }).catch((cause: unknown) => {
    throw refusal(dir, 'a folder of documents', (cause as Error).message, cause);
  });
  const paths: string[] = [];
  for (const entry of entries) {
    const path = below + entry.name;
    if (entry.isDirectory()) paths.push(...(await list(dir, `${path}/`)));
    else if (entry.isFile()) paths.push(path);
    else throw refusal(join(dir, path), 'a file', 'a link or a device');
  }
  return paths.sort();
}

async function read(file: string): Promise<Buffer> {
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw refusal(file, 'a readable file', (cause as Error).message, cause);
  });
  if (bytes.length > MAX_FILE_BYTES)
    throw refusal(file, `at most ${MAX_FILE_BYTES} bytes`, `${bytes.length}`);
  return bytes;
}
