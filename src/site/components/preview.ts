import type { DraftFile } from '../../../pipeline/release/format/manifest.ts';
import { csvRows } from './csv-rows.ts';
import { indentJson } from './indent-json.ts';
import type { SiteRelease } from './release.ts';

/** Enough of any file for what is shown of it. */
const HEAD_BYTES = 16_384;
const ROWS = 6;
const LINES = 28;

export type Preview =
  | { kind: 'table'; columns: string[]; rows: string[][] }
  /** `whole`: the file has no more than this. */
  | { kind: 'text'; text: string; whole: boolean };

/** The beginning of a public file, JSON laid out in lines; null for what is restricted or is not text. */
export function previewOf(release: SiteRelease, file: DraftFile): Preview | null {
  if (file.restricted || file.media_type === 'application/pdf') return null;
  const head = release.head(file.path, HEAD_BYTES);
  if (file.media_type.startsWith('text/csv')) {
    const [columns = [], ...rows] = csvRows(head, 1 + ROWS);
    return { kind: 'table', columns, rows };
  }
  const lines = (file.media_type === 'application/json' ? indentJson(head) : head).trimEnd().split('\n');
  const whole = file.bytes <= HEAD_BYTES && lines.length <= LINES;
  return { kind: 'text', text: lines.slice(0, LINES).join('\n'), whole };
}
