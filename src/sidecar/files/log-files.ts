import { hash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { MAX_BUNDLE_BYTES } from '../../../pipeline/ledger/log/entry-bundle.ts';
import { LOG_HEADERS } from '../../../pipeline/release/format/headers.ts';
import { logFile } from '../../../pipeline/release/log/log-folder.ts';
import { Problem } from '../../api/problem.ts';
import type { Answer } from '../request/answer.ts';
import type { Asked, LogFiles } from '../services.ts';
import type { ByteRange } from './byte-range.ts';
import type { LogPath } from './log-path.ts';
import { prepare } from './prepare-file.ts';
import { type Representation, representationHeaders } from './representation.ts';

/** The log of OUT, read from the disk for each request: tiles have 8 kB at most, and caches keep them for ever. */
export function createLogFiles(out: string): LogFiles {
  return { prepare: (request, path) => prepareLogFile(request, path, out) };
}

/** Throws a Problem not_found. */
async function prepareLogFile(request: Asked, { kind, path }: LogPath, out: string): Promise<Answer> {
  const { bytes, modified } = await read(logFile(out, path));
  const validators = { etag: `"${hash('sha256', bytes)}"`, modified, bytes: bytes.length };
  const plain = { encoding: null, varies: false };
  const representation: Representation = {
    ...validators,
    headers: representationHeaders(LOG_HEADERS[kind], validators, plain),
    read: (range: ByteRange | null) => (range ? bytes.subarray(range.first, range.last + 1) : bytes),
  };
  return prepare(request, representation);
}

async function read(place: string): Promise<{ bytes: Buffer; modified: number }> {
  const file = await open(place).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
    throw new Problem('not_found', 'The log has no such file, or has it as a whole tile by now.');
  });
  try {
    const { size, mtimeMs } = await file.stat();
    if (size > MAX_BUNDLE_BYTES) throw new Error(`${place}: ${size} bytes are no file of the log`);
    return { bytes: await file.readFile(), modified: Math.floor(mtimeMs / 1000) * 1000 };
  } finally {
    await file.close();
  }
}
