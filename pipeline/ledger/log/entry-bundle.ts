import { errorOf } from '../../errors.ts';
import { counted } from '../../words/number.ts';
import { TILE_WIDTH } from './tile.ts';

const invalid = errorOf('log_invalid');

/** The maximum of a uint16, which equals the longest line of a ledger (MAX_LINE_BYTES), so every event fits. */
export const MAX_ENTRY_BYTES = 65_535;
const LENGTH_BYTES = 2;
export const MAX_BUNDLE_BYTES = TILE_WIDTH * (LENGTH_BYTES + MAX_ENTRY_BYTES);

/** Concatenated entries, each preceded by its big-endian length (c2sp.org/tlog-tiles). */
export function formatBundle(entries: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(entries.reduce((sum, { length }) => sum + LENGTH_BYTES + length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const entry of entries) {
    if (entry.length > MAX_ENTRY_BYTES) throw new RangeError(`an entry of ${entry.length} bytes`);
    view.setUint16(at, entry.length);
    bytes.set(entry, at + LENGTH_BYTES);
    at += LENGTH_BYTES + entry.length;
  }
  return bytes;
}

/** Exactly `width` entries, as parts of `bytes`. Throws log_invalid; `place` names the bundle. */
export function parseBundle(bytes: Uint8Array, width: number, place: string): Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const entries: Uint8Array[] = [];
  let at = 0;
  while (at < bytes.length && entries.length < width) {
    const start = at + LENGTH_BYTES;
    const end = start <= bytes.length ? start + view.getUint16(at) : Infinity;
    if (end > bytes.length) throw invalid(place, 'whole entries', `the end within entry ${entries.length}`);
    entries.push(bytes.subarray(start, end));
    at = end;
  }
  if (entries.length < width) throw invalid(place, counted(width, 'entry', 'entries'), `${entries.length}`);
  if (at < bytes.length)
    throw invalid(place, counted(width, 'entry', 'entries'), `${bytes.length - at} bytes more`);
  return entries;
}
