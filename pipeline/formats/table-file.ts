import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { DraftFile } from '../release/format/manifest.ts';
import type { Staging } from '../release/staging/staging.ts';
import type { Row } from './columns.ts';
import type { Table } from './tables.ts';

/** Media types of the formats in which a table is published besides its own. */
export const FORM_TYPES = {
  '.ndjson': 'application/x-ndjson',
  '.parquet': 'application/vnd.apache.parquet',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const;
type Form = keyof typeof FORM_TYPES;

/** Rows of a block: as many as a group of a Parquet file has. */
export const BLOCK_ROWS = 20_000;

/** A file of a table's rows, which are added in blocks, the oldest first. Each call gives the bytes that come next in the file. */
export interface TableFile {
  /** BLOCK_ROWS rows, or fewer if they are the last. */
  add(rows: readonly Row[]): Uint8Array[];
  finish(): Uint8Array[];
}

/** What the manifest says of a table in another format. */
export function formFile({ artifact: { area } }: Table, path: string, rows: number, immutable = false) {
  const form = path.slice(path.lastIndexOf('.')) as Form;
  const about = { path, kind: 'data', area, restricted: false, rows, immutable } as const;
  return { ...about, media_type: FORM_TYPES[form] };
}

/** A file that is written while its rows are read. It is not compressed again: its format compresses its content. */
export interface StreamedFile {
  path: string;
  immutable: boolean;
  content: TableFile;
}

/** Stages files of the same rows, all at once and in constant memory. */
export async function streamFiles(
  staging: Staging,
  table: Table,
  files: readonly StreamedFile[],
  blocks: AsyncIterable<readonly Row[]>,
): Promise<void> {
  for (const { path } of files) staging.claim(path);
  const places = files.map(({ path }) => `public/${path}`);
  await withHandles(staging, places, async (handles) => {
    const targets = files.map((file, index) => ({ ...file, target: new HashedFile(handles[index]!) }));
    let rows = 0;
    for await (const block of blocks) {
      rows += block.length;
      for (const { content, target } of targets) await target.write(content.add(block));
    }
    for (const { path, immutable, content, target } of targets) {
      await target.write(content.finish());
      staging.record({ ...formFile(table, path, rows, immutable), ...target.blob, encodings: {} });
    }
  });
}

async function withHandles(
  staging: Staging,
  places: readonly string[],
  fill: (handles: readonly FileHandle[]) => Promise<void>,
): Promise<void> {
  const [place, ...others] = places;
  if (place === undefined) return fill([]);
  await staging.folder.stream(place, (handle) =>
    withHandles(staging, others, (rest) => fill([handle, ...rest])),
  );
}

class HashedFile {
  readonly #handle: FileHandle;
  readonly #hash = createHash('sha256');
  #bytes = 0;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  async write(chunks: readonly Uint8Array[]): Promise<void> {
    for (const chunk of chunks) {
      this.#hash.update(chunk);
      this.#bytes += chunk.length;
      await this.#handle.writeFile(chunk);
    }
  }

  /** Once, at the end. */
  get blob(): Pick<DraftFile, 'bytes' | 'sha256'> {
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }
}
