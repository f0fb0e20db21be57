import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { unzipSync } from 'fflate';
import { parquetReadObjects } from 'hyparquet';
import { filesBelow } from '../../files-below.ts';

/** A file as a static host has it, or as the service gives it to a key. */
interface Listed {
  bytes: Buffer;
  mediaType: string;
  /** How long it is fresh, and `*` where any web page may read it. */
  use: string;
  /** Compressed copies beside it: `gz br`. */
  encodings: string;
}
export type Listing = ReadonlyMap<string, Listed>;

export const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex');

/**
 * Everything below a published folder that anybody may read: the release, the log, and the newest of the snapshots, since the older ones
 * are those of other runs; without the files of the snapshot that are those of the release. Throws where a compressed copy has other
 * bytes than its file.
 */
export async function listPublic(out: string): Promise<Listing> {
  const newest = (await readdir(join(out, 'snapshots')))
    .filter((name) => name.startsWith('2'))
    .sort()
    .at(-1)!;
  const trees = [
    ['', join(out, 'current/public')],
    ['log/', join(out, 'log')],
    [`snapshots/${newest}/`, join(out, 'snapshots', newest)],
  ] as const;
  const found = new Map(trees.flatMap(([prefix, root]) => filesBelow(root, prefix)));
  const rules = parseHeaders(found.get('_headers')!.toString());
  const types = mediaTypes(found.get('manifest.json')!.toString());
  const listed = new Map<string, Listed>();
  for (const [path, bytes] of [...found].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const plain = found.get(path.replace(/\.(gz|br)$/, ''));
    if (plain !== bytes && plain) {
      const same = path.endsWith('.gz') ? gunzipSync(bytes) : brotliDecompressSync(bytes);
      if (!same.equals(plain)) throw new Error(`${path} is not ${path.slice(0, -3)} in another encoding`);
      continue;
    }
    if (path.startsWith('snapshots/') && found.get(path.replace(/^snapshots\/[^/]+\//, ''))?.equals(bytes))
      continue;
    const headers = headersOf(path, rules);
    const [said, sent] = [types.get(path), headers.get('Content-Type')];
    if (said && sent && said !== sent)
      throw new Error(`${path} is ${said} in the manifest and ${sent} in _headers`);
    listed.set(path, {
      bytes,
      mediaType: said ?? sent ?? '-',
      use: useOf(headers.get('Cache-Control'), headers.get('Access-Control-Allow-Origin')),
      encodings: ['gz', 'br'].filter((ending) => found.has(`${path}.${ending}`)).join(' '),
    });
  }
  return listed;
}

function mediaTypes(manifest: string): Map<string, string> {
  const { files } = JSON.parse(manifest) as { files: { path: string; media_type: string }[] };
  return new Map(files.map(({ path, media_type }) => [path, media_type]));
}

/** Values of Cache-Control that a host sends, and the words of the list for them. */
const FRESHNESS: Readonly<Record<string, string>> = {
  'public, max-age=31536000, immutable': 'immutable',
  'public, max-age=300, stale-while-revalidate=3600': 'data',
  'public, max-age=0, must-revalidate': 'revalidated',
  'no-cache': 'live',
  'private, no-store': 'restricted',
};

function useOf(cacheControl: string | null | undefined, origin: string | null | undefined): string {
  const fresh = cacheControl ? (FRESHNESS[cacheControl] ?? cacheControl) : 'as the host does';
  return origin ? `${fresh} ${origin}` : fresh;
}

type Rule = { pattern: RegExp; removed: string[]; set: [name: string, value: string][] };

/** `_headers`, as hosts that read such a file do. */
function parseHeaders(text: string): Rule[] {
  const rules: Rule[] = [];
  for (const line of text.split('\n').filter(Boolean)) {
    const [, removed] = /^ {2}! (\S+)$/.exec(line) ?? [];
    const [, name, value] = /^ {2}([\w-]+): (.+)$/.exec(line) ?? [];
    if (removed) rules.at(-1)!.removed.push(removed);
    else if (name) rules.at(-1)!.set.push([name, value!]);
    else {
      const pattern = line.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('*', '.*');
      rules.push({ pattern: new RegExp(`^${pattern}$`), removed: [], set: [] });
    }
  }
  return rules;
}

/** Every rule that matches counts, and values of one name are joined. */
function headersOf(path: string, rules: readonly Rule[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (const { pattern, removed, set } of rules) {
    if (!pattern.test(`/${path}`)) continue;
    for (const name of removed) headers.delete(name);
    for (const [name, value] of set)
      headers.set(name, headers.has(name) ? `${headers.get(name)}, ${value}` : value);
  }
  return headers;
}

/** The restricted files, as the service sends them to a key that may read them. */
export async function listRestricted(
  address: string,
  key: string,
  paths: readonly string[],
): Promise<Listing> {
  const listed = new Map<string, Listed>();
  for (const path of paths) {
    const response = await fetch(`${address}/${path}`, {
      headers: { Authorization: `Bearer ${key}`, 'Accept-Encoding': 'identity' },
    });
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    const { headers } = response;
    listed.set(path, {
      bytes: Buffer.from(await response.arrayBuffer()),
      mediaType: headers.get('content-type')!,
      use: useOf(headers.get('cache-control'), headers.get('access-control-allow-origin')),
      encodings: '',
    });
  }
  return listed;
}

/** Files that name the hashes and the sizes of others, some of which depend on a library; `last_modified` on the runs before. */
const NAMES_HASHES =
  /(^|\/)(manifest\.json|latest\.json|datapackage\.json|catalog\.jsonld|croissant\.json|index\.json)$/;

/**
 * What the list says about a file's content: the SHA-256 of its bytes. Where the bytes depend on the version of a library, the
 * SHA-256 of the content (`rows:`, `parts:`), or nothing (`-`). Where they name such bytes, that of the text without hashes (`text:`).
 */
export async function digestOf(path: string, bytes: Buffer): Promise<string> {
  if (NAMES_HASHES.test(path)) return `text:${sha256(withoutHashes(bytes.toString()))}`;
  if (/\.(png|sig)$/.test(path)) return '-';
  if (path.endsWith('.xlsx')) return `parts:${sha256(partsOf(bytes))}`;
  if (path.endsWith('.parquet'))
    return `rows:${sha256(toJson(await parquetReadObjects({ file: toArrayBuffer(bytes) })))}`;
  if (path.endsWith('.sqlite')) return `rows:${sha256(rowsOf(bytes))}`;
  return sha256(bytes);
}

function withoutHashes(text: string): string {
  return text
    .replaceAll(/\b[0-9a-f]{64}\b/g, '#')
    .replaceAll(/("(?:bytes|contentSize|[a-z:]*byteSize)": )"?\d+( B)?"?/g, '$1#')
    .replaceAll(/("(?:dcat:byteSize)": \{\s*"@value": )"?\d+"?/g, '$1#')
    .replaceAll(/("last_modified": )"[^"]*"/g, '$1#')
    .replaceAll(/("release": ".*)-[0-9a-f]{8}"/g, '$1-#"')
    .replaceAll(/\n— .*?(?=\\n)/g, '\n— #');
}

function partsOf(bytes: Buffer): string {
  return Object.entries(unzipSync(bytes))
    .map(([name, part]) => `${name} ${sha256(part)}`)
    .join('\n');
}

function rowsOf(bytes: Buffer): string {
  using database = new DatabaseSync(':memory:');
  database.deserialize(bytes);
  const schema = database
    .prepare('SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name')
    .all();
  const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`).all();
  const rows = tables.map(({ name }) => [
    name,
    database.prepare(`SELECT * FROM "${name}" ORDER BY rowid`).all(),
  ]);
  return toJson([schema, rows]);
}

const toJson = (value: unknown) =>
  JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}` : (one as unknown)));
const toArrayBuffer = (bytes: Buffer) => new Uint8Array(bytes).buffer as ArrayBuffer;

/** The list as it is kept: path, media type, how long it is fresh, compressed copies, content. */
export async function linesOf(listing: Listing): Promise<string[]> {
  const lines: string[] = [];
  for (const [path, { bytes, mediaType, use, encodings }] of listing) {
    const about = path.endsWith('.sig') ? '-' : encodings || '-';
    lines.push([path, mediaType, use, about, await digestOf(path, bytes)].join(' | '));
  }
  return lines;
}
