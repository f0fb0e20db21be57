import { NODE_HASHING } from '../../../pipeline/verify/folder-origin.ts';
import { LOG, type Opened, type OpenOptions, Origin } from '../../../pipeline/verify/origin.ts';
import { Problem } from '../../api/problem.ts';
import { FileBody } from '../files/file-body.ts';
import { type LogFiles, parseLogPath } from '../files/log-files.ts';
import { resourceOf, type ServedRelease } from '../files/releases.ts';
import { answerWith, type Resource } from '../files/representation.ts';
import { isSnapshotPath, type SnapshotFiles } from '../files/snapshot-files.ts';

interface Beside {
  snapshots?: SnapshotFiles;
  log?: LogFiles;
}

/** The public files of one release as this service serves them, and what is beside it. Nothing restricted can be opened. */
export class ServiceOrigin extends Origin {
  override readonly hashing = NODE_HASHING;
  readonly #release: ServedRelease;
  readonly #beside: Beside;

  constructor(release: ServedRelease, beside: Beside) {
    super();
    this.#release = release;
    this.#beside = beside;
  }

  placeOf(path: string): string {
    return `/${path}`;
  }

  retrying<T>(_path: string, work: () => Promise<T>): Promise<T> {
    return work();
  }

  async open(path: string, options: OpenOptions = {}): Promise<Opened | null> {
    const resource = await this.#find(path);
    if (!resource) return null;
    const { bytes } = resource.in(null).content;
    const { first, end } = rangeOf(options, bytes);
    const validator = { etag: null, lastModified: null };
    const opened = { from: first, bytes: end - first, total: bytes, validator };
    if (first === end) return { ...opened, body: partsOf(null) };
    const headers = end - first === bytes ? {} : { range: `bytes=${first}-${end - 1}` };
    const { body } = await answerWith({ method: 'GET', headers }, resource);
    return { ...opened, body: partsOf(body) };
  }

  async #find(path: string): Promise<Resource | null> {
    const { snapshots, log } = this.#beside;
    if (isSnapshotPath(path)) {
      const found = (await snapshots?.find(path)) ?? null;
      return found && 'movedTo' in found ? null : found;
    }
    if (path.startsWith(`${LOG}/`)) {
      const file = parseLogPath(path);
      // Bundles of all entries need a key.
      return file && file.kind !== 'bundle' && log ? log.find(file).catch(missingIsNull) : null;
    }
    const file = this.#release.files.get(path);
    return file && !file.restricted ? resourceOf(this.#release, file) : null;
  }
}

function rangeOf({ from = 0, to, last }: OpenOptions, bytes: number): { first: number; end: number } {
  if (last !== undefined) return { first: Math.max(0, bytes - last), end: bytes };
  return { first: Math.min(from, bytes), end: Math.max(Math.min(to ?? bytes, bytes), Math.min(from, bytes)) };
}

async function* partsOf(body: Awaited<ReturnType<typeof answerWith>>['body']): AsyncGenerator<Uint8Array> {
  if (body instanceof FileBody) {
    // The next part is read into the same buffer.
    for await (const part of body.parts()) yield Uint8Array.from(part);
  } else if (Buffer.isBuffer(body)) yield body;
}

function missingIsNull(error: unknown): null {
  if (error instanceof Problem && error.code === 'not_found') return null;
  throw error;
}
