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
export function formFile({ artifact: { area } }: Table, path: string, immutable = false) {
  const mediaType = FORM_TYPES[path.slice(path.lastIndexOf('.')) as Form];
  return { path, kind: 'data', area, restricted: false, immutable, mediaType } as const;
}

/** A file that is written while its rows are read. */
export interface RowFile {
  about: ReturnType<typeof formFile>;
  content: TableFile;
}

/** Stages files of the same rows, all at once and in constant memory. */
export async function streamFiles(
  staging: Staging,
  files: readonly RowFile[],
  blocks: AsyncIterable<readonly Row[]>,
): Promise<void> {
  const abouts = files.map(({ about }) => about);
  await staging.stream(abouts, async (targets) => {
    const append = async (bytesOf: (content: TableFile) => Uint8Array[]) => {
      for (const [index, { content }] of files.entries())
        for (const bytes of bytesOf(content)) await targets[index]!.write(bytes);
    };
    let rows = 0;
    for await (const block of blocks) {
      rows += block.length;
      await append((content) => content.add(block));
    }
    await append((content) => content.finish());
    return rows;
  });
}
