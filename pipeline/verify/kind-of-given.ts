import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { hasScheme } from '../config/setting.ts';
import { CathedralError } from '../errors.ts';
import { FIRST_LINE } from '../ledger/log/tlog-proof.ts';
import { readExport } from './audit/read-export.ts';
import { unreadable } from './reader.ts';

/** What a reader can ask about: a service or a copy of one, a proof of an event, an audited export, or any other file. */
export type Kind = 'place' | 'proof' | 'export' | 'file';

/**
 * By its name and its first line; a file with a damaged first line is an export if the reader says so. Throws mirror_unreachable where nothing
 * is, and proof_refused for a file that cannot be read.
 */
export async function kindOfGiven(given: string, isSaidExport: boolean): Promise<Kind> {
  if (given === '-') return 'export';
  if (hasScheme(given)) return 'place';
  const found = await stat(given).catch((cause: NodeJS.ErrnoException) => {
    const fault = { place: given, expected: 'a folder or a file', found: cause.code ?? cause.message, cause };
    throw new CathedralError('mirror_unreachable', fault);
  });
  if (found.isDirectory()) return 'place';
  if ((await beginningOf(given)) === `${FIRST_LINE}\n`) return 'proof';
  return isSaidExport || (await isExport(given)) ? 'export' : 'file';
}

async function beginningOf(path: string): Promise<string> {
  const handle = await open(path).catch((cause) => {
    throw unreadable(path, cause);
  });
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(FIRST_LINE.length + 1));
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

async function isExport(path: string): Promise<boolean> {
  const bytes = createReadStream(path);
  try {
    return (await readExport(bytes, path)) !== null;
  } catch (error) {
    // Its first line is no text.
    if (error instanceof CathedralError) return false;
    throw unreadable(path, error as NodeJS.ErrnoException);
  } finally {
    bytes.destroy();
  }
}
