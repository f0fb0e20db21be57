import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { asDiskErrors } from '../../disk/durable.ts';
import { sha256 as digest, type Manifest, type Segment } from '../../release/format/manifest.ts';
import type { SnapshotFile } from '../../release/format/snapshot-index.ts';

/** A history of an older snapshot. */
export type EndedFile = Extract<SnapshotFile, { range: unknown }>;

const CHUNK = 1 << 20;

/** The first bytes of a file as text. Throws publish_failed. */
export function readHead(place: string, bytes: number): Promise<string> {
  return asDiskErrors(place, async () => {
    const handle = await open(place);
    try {
      const { buffer } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
      return buffer.toString();
    } finally {
      await handle.close();
    }
  });
}

/** Whether an older history equals its own header plus the end of the file at `place`. Reads all of that end. */
export async function isEndOf(place: string, { head, range, sha256, bytes }: EndedFile): Promise<boolean> {
  if (Buffer.byteLength(head) + range.last !== bytes) return false;
  // A history without rows is the end of any file.
  if (range.last === 0) return digest(head) === sha256;
  const handle = await open(place).catch(() => null);
  if (!handle) return false;
  try {
    const { size } = await handle.stat();
    if (size < range.last) return false;
    const hash = createHash('sha256').update(head);
    const buffer = Buffer.alloc(CHUNK);
    for (let at = size - range.last; at < size; ) {
      const { bytesRead } = await handle.read(buffer, 0, Math.min(CHUNK, size - at), at);
      if (bytesRead === 0) return false;
      hash.update(buffer.subarray(0, bytesRead));
      at += bytesRead;
    }
    return hash.digest('hex') === sha256;
  } finally {
    await handle.close();
  }
}

/**
 * Whether a history extends that of an earlier release of the same software: its full segments are the same, and the last one has the
 * same end. Needs only hashes and one segment, whatever the history's length.
 */
export async function extendsHistory(
  before: Manifest,
  now: Manifest,
  dir: string,
  path: string,
): Promise<boolean> {
  if (before.software !== now.software) return false;
  const newer = new Map(now.segments[path]?.map((segment) => [segment.first_row, segment]));
  for (const old of before.segments[path] ?? []) {
    const segment = newer.get(old.first_row);
    if (segment?.sha256 === old.sha256) continue;
    if (!segment || segment.bytes < old.bytes || !(await endsWith(dir, segment, old))) return false;
  }
  return true;
}

async function endsWith(dir: string, { file, bytes }: Segment, old: Segment): Promise<boolean> {
  const handle = await open(join(dir, file)).catch(() => null);
  if (!handle) return false;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(old.bytes), 0, old.bytes, bytes - old.bytes);
    return bytesRead === old.bytes && digest(buffer) === old.sha256;
  } finally {
    await handle.close();
  }
}
