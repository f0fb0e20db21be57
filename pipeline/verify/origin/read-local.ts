import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { mismatch } from '../mismatch.ts';

/**
 * Opens a file to be read. Never waits for a writer, as the plain opening of a named pipe does. Throws mirror_mismatch for
 * what is no file, and what the disk throws.
 */
export async function openFile(place: string): Promise<{ handle: FileHandle; size: number }> {
  const handle = await open(place, constants.O_RDONLY | constants.O_NONBLOCK);
  const found = await handle.stat().catch(async (error) => {
    await handle.close();
    throw error;
  });
  if (found.isFile()) return { handle, size: found.size };
  await handle.close();
  throw mismatch(
    place,
    'a file',
    found.isDirectory() ? 'a folder' : 'a pipe, a device, or what else is no file',
  );
}

/** The text of a file of at most so many bytes; null where there is none. Throws as `openFile` does. */
export async function readText(place: string, most: number): Promise<string | null> {
  const opened = await openFile(place).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (!opened) return null;
  await using handle = opened.handle;
  if (opened.size > most) throw mismatch(place, `at most ${most} bytes`, `${opened.size}`);
  return handle.readFile('utf8');
}
