import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { asDiskErrors, exists } from '../disk/durable.ts';
import { CathedralError } from '../errors.ts';
import { TransientFault } from '../transient-fault.ts';
import { mismatchError } from '../verify/findings.ts';
import { type Origin, type Promised, promisedBody } from '../verify/origin.ts';

/** A file that is being fetched: the bytes so far, and their hash. */
interface Part {
  path: string;
  handle: FileHandle;
  hash: Hash;
  bytes: number;
}

/**
 * Fetches a file to `target`, which appears only once it is complete, flushed and verified. An interrupted transfer leaves
 * `<target>.part`, which the next attempt resumes, even in another process. Never takes more bytes than promised. Throws
 * mirror_mismatch if the file differs or does not exist, and mirror_unreachable.
 */
export async function fetchBlob(origin: Origin, promised: Promised, target: string): Promise<void> {
  if (await exists(target)) return;
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
  const isResumed = part.bytes > 0;
  try {
    await append(part, origin, promised);
    const found = part.hash.digest('hex');
    if (found !== promised.sha256)
      throw mismatchError(origin.placeOf(promised.path), `SHA-256 ${promised.sha256}`, found);
  } catch (error) {
    // After a lost connection the next attempt resumes here.
    if (!(error instanceof CathedralError && error.code === 'mirror_mismatch')) throw error;
    await asDiskErrors(part.path, () => rm(part.path, { force: true }));
    // The bytes from before may belong to a different file.
    throw isResumed ? new TransientFault('a different file from the one begun', { cause: error }) : error;
  }
  await asDiskErrors(part.path, () => flush(part));
}

/** After a failed flush, the system may report success for the same bytes the next time, so they are not reused. */
async function flush({ path, handle }: Part): Promise<void> {
  try {
    await handle.sync();
  } catch (error) {
    await rm(path, { force: true }).catch(() => {});
    throw error;
  }
}

/** Hashes what an earlier attempt left. */
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
    throw mismatchError(place, `a file of ${bytes} bytes`, 'no such file');
  if (opened.from !== part.bytes) await restart(part);
  for await (const chunk of promisedBody(opened, bytes, place)) {
    await asDiskErrors(part.path, () => part.handle.appendFile(chunk));
    part.hash.update(chunk);
    part.bytes += chunk.length;
  }
}
