/** Bytes of a file, the last one included. */
export interface ByteRange {
  first: number;
  last: number;
}

/**
 * `bytes=0-99`, `bytes=100-`, `bytes=-100` of a file of `size` bytes (RFC 9110 §14). `whole` for what a server may pass
 * over: no header, another unit, several ranges, a form that is not one. `unsatisfiable` where the file has no such bytes.
 */
export function parseByteRange(
  header: string | undefined,
  size: number,
): ByteRange | 'whole' | 'unsatisfiable' {
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.trim() ?? '') ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return 'whole';
  if (from === '') {
    const length = Math.min(Number(to), size);
    return length === 0 ? 'unsatisfiable' : { first: size - length, last: size - 1 };
  }
  const first = Number(from);
  if (to !== '' && Number(to) < first) return 'whole';
  if (first >= size) return 'unsatisfiable';
  return { first, last: to === '' ? size - 1 : Math.min(Number(to), size - 1) };
}
