export interface ListedObject {
  /** Below the prefix of the store, as for `get`. */
  key: string;
  etag: string;
  bytes: number;
  /** ms since 1970 */
  modified: number;
}

/** A page of ListObjectsV2, asked for with `encoding-type=url`. */
export interface ListingPage {
  /** With their whole keys. */
  objects: ListedObject[];
  /** Continues the list; null at its end. */
  next: string | null;
}

/** Null if the text is no such page. */
export function parseListing(xml: string): ListingPage | null {
  if (!/<ListBucketResult[\s>]/.test(xml)) return null;
  const objects = [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].map(([, object = '']) => ({
    key: decodeURIComponent(element(object, 'Key').replaceAll('+', '%20')),
    etag: element(object, 'ETag').replaceAll('"', ''),
    bytes: Number(element(object, 'Size')),
    modified: Date.parse(element(object, 'LastModified')),
  }));
  if (objects.some(({ key, bytes }) => key === '' || !Number.isSafeInteger(bytes))) return null;
  const next = element(xml, 'NextContinuationToken');
  const isTruncated = element(xml, 'IsTruncated') === 'true';
  return isTruncated && next === '' ? null : { objects, next: isTruncated ? next : null };
}

/** The body of a request that deletes several objects. */
export function formatDeletion(keys: readonly string[]): string {
  const objects = keys.map((key) => `<Object><Key>${escapeXml(key)}</Key></Object>`);
  return `<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Quiet>true</Quiet>${objects.join('')}</Delete>`;
}

/** The first object that a deletion left, and why; null: there is none. */
export function parseDeletion(xml: string): { key: string; code: string } | null {
  const [, error] = /<Error>(.*?)<\/Error>/s.exec(xml) ?? [];
  return error === undefined ? null : { key: element(error, 'Key'), code: element(error, 'Code') };
}

function element(xml: string, name: string): string {
  return unescapeXml(new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? '');
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

function unescapeXml(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w+));/gi, (whole, decimal, hex, name) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    return hex === undefined ? (ENTITIES[name] ?? whole) : String.fromCodePoint(Number.parseInt(hex, 16));
  });
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"'\r\n\t]/g, (character) => `&#${character.codePointAt(0)};`);
}
