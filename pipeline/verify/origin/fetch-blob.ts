import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { CathedralError } from '../../errors.ts';
import { TransientFault } from '../../ledger/transient-fault.ts';
import { asDiskErrors } from '../../release/disk/durable.ts';
import { mismatch } from '../mismatch.ts';
import type { Origin } from './origin.ts';
import { promisedBody } from './promised-body.ts';

/** A file as it is promised. */
export interface Promised {
  path: string;
  /** Hex. */
  sha256: string;
  bytes: number;
}

/** What there is of a file: so many bytes, and the hash so far. */
interface Part {
  path: string;
  handle: FileHandle;
  hash: Hash;
  bytes: number;
}

/**
 * Fetches a file to `target`, where it appears whole, flushed and with its hash, or not at all. What was fetched of it stays
 * beside it as `<target>.part`, and is gone on from, also by another process. Never takes a byte more than was promised.
 * Throws mirror_mismatch where the file is another one or is not there, and mirror_unreachable.
 */
export async function fetchBlob(origin: Origin, promised: Promised, target: string): Promise<void> {
  const isThere = await stat(target).catch(() => null);
  if (isThere) return;
  const path = `${target}.part`;
  await origin.retrying(promised.path, async () => {
    const handle = await asDiskErrors(path, () => open(path, 'a+'));
    try {
      await complete({ path, handle, hash: createHash('sha256'), bytes: 0 }, origin, promised);
    } finally {
      await asDiskErrors(path, () => handle.close());
    }
  });
  await asDiskErrors(target, () => rename(path, target));
}

async function complete(part: Part, origin: Origin, promised: Promised): Promise<void> {
  await asDiskErrors(part.path, () => resume(part, promised.bytes));
  const resumed = part.bytes > 0;
  try {
    await append(part, origin, promised);
    const found = part.hash.digest('hex');
    if (found !== promised.sha256)
      throw mismatch(origin.placeOf(promised.path), `SHA-256 ${promised.sha256}`, found);
  } catch (error) {
    // After a broken connection the next attempt goes on from here.
    if (!(error instanceof CathedralError && error.code === 'mirror_mismatch')) throw error;
    await asDiskErrors(part.path, () => rm(part.path, { force: true }));
    // What was there before may have been the beginning of another file.
    throw resumed ? new TransientFault('another file than the one that was begun', { cause: error }) : error;
  }
  await asDiskErrors(part.path, () => flush(part));
}

/** A system that could not write bytes may say the next time that it has, so they are not gone on from. */
async function flush({ path, handle }: Part): Promise<void> {
  try {
    await handle.sync();
  } catch (error) {
    await rm(path, { force: true }).catch(() => {});
    throw error;
  }
}

/** Reads what an earlier attempt has left. */
async function resume(part: Part, promised: number): Promise<void> {
  const { size } = await part.handle.stat();
  if (size > promised) return restart(part);
  for await (const chunk of part.handle.createReadStream({ start: 0, autoClose: false })) {
    part.hash.update(chunk);
    part.bytes += chunk.length;
  }
}

async function restart(part: Part): Promise<void> {
  await part.handle.truncate(0);
  part.hash = createHash('sha256');
  part.bytes = 0;
}

async function append(part: Part, origin: Origin, { path, bytes }: Promised): Promise<void> {
  if (part.bytes === bytes) return;
  const place = origin.placeOf(path);
  const opened = await origin.open(path, { from: part.bytes });
  if (opened === null || opened === 'unchanged')
    throw mismatch(place, `a file of ${bytes} bytes`, 'no such file');
  if (opened.from !== part.bytes) await restart(part);
  for await (const chunk of promisedBody(opened, bytes, place)) {
    await asDiskErrors(part.path, () => part.handle.appendFile(chunk));
    part.hash.update(chunk);
    part.bytes += chunk.length;
  }
}
