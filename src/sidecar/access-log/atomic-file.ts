import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Replaces a private file atomically: readers see the old bytes or the new ones. Durable: the new bytes survive a power failure. */
export function writeFileAtomically(path: string, bytes: Uint8Array | string, durable: boolean): void {
  const temporary = `${path}.tmp`;
  const file = openSync(temporary, 'w', 0o600);
  try {
    const content = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    for (let at = 0; at < content.length; ) at += writeSync(file, content, at);
    if (durable) fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameDurably(temporary, path, durable);
}

/** Renames a flushed file. If `durable`, its new name is on disk when this returns. */
export function renameDurably(from: string, to: string, durable: boolean): void {
  renameSync(from, to);
  if (!durable) return;
  const folder = openSync(dirname(to), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
