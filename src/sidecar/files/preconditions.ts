/** What the representation that would be sent is known by. */
export interface Validators {
  /** A strong entity tag with its quotes: `"5e88…"`. */
  etag: string;
  /** Whole seconds, as Last-Modified says it; Unix ms. */
  modified: number;
}

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Whether to send the file, in the order of RFC 9110 §13.2.2. */
export function evaluate(headers: Headers, validators: Validators): 'send' | 'not_modified' | 'failed' {
  const { etag, modified } = validators;
  const ifMatch = one(headers['if-match']);
  if (ifMatch !== undefined) {
    if (!matchesStrongly(ifMatch, etag)) return 'failed';
  } else if (modified > dateOf(headers['if-unmodified-since'], Infinity)) return 'failed';

  const ifNoneMatch = one(headers['if-none-match']);
  if (ifNoneMatch !== undefined) return matchesWeakly(ifNoneMatch, etag) ? 'not_modified' : 'send';
  return modified <= dateOf(headers['if-modified-since'], -Infinity) ? 'not_modified' : 'send';
}

/** Whether the part that the client has is of these bytes, so that a range goes on from it (RFC 9110 §13.1.5). */
export function rangeApplies(ifRange: string | undefined, { etag, modified }: Validators): boolean {
  if (ifRange === undefined) return true;
  return ifRange.includes('"') ? ifRange.trim() === etag : dateOf(ifRange, NaN) === modified;
}

function matchesStrongly(list: string, etag: string): boolean {
  return tags(list).some((tag) => tag === '*' || tag === etag);
}

function matchesWeakly(list: string, etag: string): boolean {
  return tags(list).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag);
}

function tags(list: string): string[] {
  return list.split(',').map((tag) => tag.trim());
}

/** A date that cannot be read is passed over, as RFC 9110 wants. */
function dateOf(header: string | string[] | undefined, otherwise: number): number {
  if (header === undefined) return otherwise;
  const ms = Date.parse(one(header)!);
  return Number.isNaN(ms) ? otherwise : ms;
}

function one(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}
