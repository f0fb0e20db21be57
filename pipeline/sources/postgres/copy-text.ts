/** The rows in the text of PostgreSQL's `COPY … TO STDOUT`, in chunks of any size. */
export class CopyText {
  #rest: Buffer = NONE;

  /** The fields of each row that ends in `chunk`; null for NULL. */
  push(chunk: Buffer): (string | null)[][] {
    const end = chunk.lastIndexOf(LINE_END) + 1;
    if (end === 0) {
      this.#rest = Buffer.concat([this.#rest, chunk]);
      return [];
    }
    const whole = chunk.subarray(0, end);
    const text = (this.#rest.length === 0 ? whole : Buffer.concat([this.#rest, whole])).toString('utf8');
    this.#rest = end === chunk.length ? NONE : Buffer.from(chunk.subarray(end));
    const rows: (string | null)[][] = [];
    // Most rows need no unescaping.
    const isPlain = !text.includes('\\');
    for (let start = 0; start < text.length; ) {
      const stop = text.indexOf('\n', start);
      const fields = text.slice(start, stop).split('\t');
      rows.push(isPlain ? fields : fields.map(unescaped));
      start = stop + 1;
    }
    return rows;
  }
}

const LINE_END = 0x0a;
const NONE = Buffer.alloc(0);

const ESCAPES: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** https://www.postgresql.org/docs/current/sql-copy.html, “Text Format” */
function unescaped(field: string): string | null {
  if (field === '\\N') return null;
  return field.includes('\\')
    ? field.replaceAll(/\\(.)/gs, (_, next: string) => ESCAPES[next] ?? next)
    : field;
}
