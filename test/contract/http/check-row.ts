import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { Answer } from './client.ts';
import { type Asked, undescribedIn } from './description.ts';
import { areEvents } from './ledger-events.ts';
import { expectedOf, type HeaderSets, isLike, PATTERNS, type Row, sha256 } from './table.ts';

/** What rows refer to. */
export interface Facts {
  /** The published folder. */
  out: string;
  ledger: string;
  sets: HeaderSets;
  /** Problem codes, each with its title. */
  titles: ReadonlyMap<string, { status: number; title: string }>;
  /** `{economist}` in a request. */
  keys: Readonly<Record<string, string>>;
}

/** Bytes that were published, wherever in the folder they are. */
function publishedBytes(out: string, path: string): Buffer {
  const found = ['current/public', 'current/restricted', '.']
    .map((folder) => join(out, folder, path))
    .find(existsSync);
  if (!found) throw new Error(`nothing is published as ${path}`);
  return readFileSync(found);
}

const ESCAPES: Readonly<Record<string, string>> = { r: '\r', n: '\n', t: '\t', '\\': '\\' };

/** Names of scripts and styles change with each module in them. */
const BUNDLE_HASH = /(\/_astro\/[^"'\s<>]+?)[.-][\w-]{8}(?=\.(js|css)\b)/g;

/** SHA-256 of a body, of a page without the hashes in the names of what it loads. */
function hashOf(body: Buffer): string {
  return sha256(Buffer.from(body.toString('latin1').replace(BUNDLE_HASH, '$1'), 'latin1'));
}

/** `\r`, `\n`, `\t`, `\x00`; `{x*3}` is `xxx`; `{sha256 of a/b}`, `{bytes of a/b}`, and names of keys. */
function writeOut(text: string, facts: Facts): string {
  return text
    .replace(/\\(?:x([0-9a-f]{2})|([rnt\\]))/g, (_, hex, letter) =>
      hex ? String.fromCharCode(Number.parseInt(hex, 16)) : ESCAPES[letter]!,
    )
    .replace(/\{([^{}" ]+)\*(\d+)\}/g, (_, part, times) => part.repeat(Number(times)))
    .replace(/\{([a-z][a-z0-9 ./_-]*)\}/gi, (_, name) => facts.keys[name] ?? meaningOf(name, facts));
}

function meaningOf(name: string, { out }: Facts): string {
  const [, what, path = ''] = /^(sha256|bytes) of (.*)$/.exec(name) ?? [];
  if (what === 'sha256') return sha256(publishedBytes(out, path));
  if (what === 'bytes') return String(publishedBytes(out, path).length);
  throw new Error(`nothing is known as {${name}}`);
}

/** The bytes of a request; `client` is its address. */
export function requestBytes(row: Row, client: string | null, facts: Facts): Buffer {
  const [line = '', ...headers] = row.request.map((text) => writeOut(text, facts));
  const has = (name: string) => headers.some((header) => header.toLowerCase().startsWith(`${name}:`));
  const without = headers.filter((header) => header.startsWith('-')).map((header) => header.slice(1));
  const usual = [
    ['Host', 'data.example.org'],
    ['Connection', 'close'],
    ...(client === null ? [] : [['X-Forwarded-For', client]]),
    ...(row.sent === null ? [] : [['Content-Length', String(Buffer.byteLength(writeOut(row.sent, facts)))]]),
  ] as [string, string][];
  const added = usual
    .filter(([name]) => !has(name.toLowerCase()) && !without.includes(name))
    .map(([name, value]) => `${name}: ${value}`);
  const words = / HTTP\/|^\w+$/.test(line) ? line : `${line} HTTP/1.1`;
  const head = [words, ...added, ...headers.filter((header) => !header.startsWith('-'))];
  const text = `${head.join('\r\n')}\r\n${row.unfinished ? '' : '\r\n'}`;
  return Buffer.concat([
    Buffer.from(text, 'latin1'),
    Buffer.from(row.sent === null ? '' : writeOut(row.sent, facts)),
  ]);
}

/** The requested path, as problems repeat it. */
function targetOf({ request: [line = ''] }: Row, facts: Facts): string {
  return (writeOut(line, facts).split(' ')[1] ?? '').split(/[?#]/)[0]!;
}

/** The published file that an answer is about: `= economy/supply[3-12]`; `[]` where it has no bytes of it. */
function subjectOf({ body }: Row, facts: Facts): { whole: Buffer; sent: Buffer; path: string } | null {
  const [, path, range] = /^= ([^ []+)(?:\[([\d-]*)\])?$/.exec(body[0] ?? '') ?? [];
  if (path === undefined) return null;
  const whole = publishedBytes(facts.out, path);
  if (range === undefined) return { whole, sent: whole, path };
  if (range === '') return { whole, sent: Buffer.alloc(0), path };
  const [from = '', to = ''] = range.split('-');
  const first = from === '' ? whole.length - Number(to) : Number(from);
  const end = from === '' || to === '' ? whole.length : Number(to) + 1;
  return { whole, sent: whole.subarray(first, end), path };
}

/** Where an answer differs from its row; empty if nowhere. */
export function faultsOf(row: Row, answer: Answer, facts: Facts): string[] {
  const faults: string[] = [];
  const expected = expectedOf(row, facts.sets);
  if (answer.status !== expected.status)
    faults.push(`status: expected ${expected.status}, found ${answer.status}`);
  const subject = subjectOf(row, facts);
  const values = (name: string) => {
    if (name === 'sha256') return sha256(subject?.whole ?? answer.body);
    if (name === 'bytes') return String((subject?.whole ?? answer.body).length);
    if (name === 'last') return String((subject?.whole ?? answer.body).length - 1);
    if (name === 'length')
      return String(
        row.request[0]!.startsWith('HEAD ') && subject ? subject.whole.length : answer.body.length,
      );
    return meaningOf(name, facts);
  };
  for (const name of new Set([...expected.headers.keys(), ...answer.headers.keys()])) {
    const [wanted, found] = [expected.headers.get(name), answer.headers.get(name)];
    if (wanted === undefined) faults.push(`a header that is not expected: ${name}: ${found}`);
    else if (found === undefined) faults.push(`a header is missing: ${name}: ${wanted}`);
    else if (!isLike(found, wanted, values)) faults.push(`${name}: expected ${wanted}, found ${found}`);
  }
  const text = () => decode(answer.body, answer.headers.get('Content-Encoding')).toString();
  return [
    ...faults,
    ...bodyFaults(row, answer, facts, subject),
    ...(row.server === 'tagged' ? [] : undescribedIn(askedBy(row, facts), answer, text)),
  ];
}

/** The method and the path of a request, with its query. */
function askedBy({ request: [line = ''] }: Row, facts: Facts): Asked {
  const [method = '', target = ''] = writeOut(line, facts).split(' ');
  return { method, target };
}

function bodyFaults(
  row: Row,
  { body, headers, status }: Answer,
  facts: Facts,
  subject: ReturnType<typeof subjectOf>,
): string[] {
  const text = body.toString();
  if (subject) {
    if (!body.equals(subject.sent)) return [`the body is not ${row.body[0]}: ${body.length} bytes`];
    const plain = decode(body, headers.get('Content-Encoding'));
    const published = subject.path.replace(/\.(?:br|gz)$/, '');
    const isEncoded = headers.has('Content-Encoding') && body.length > 0;
    return !isEncoded || plain.equals(publishedBytes(facts.out, published))
      ? []
      : ['the encoded body has other content'];
  }
  if (row.body.length === 0) return body.length === 0 ? [] : [`expected no body, found ${excerpt(text)}`];
  if (row.body[0]!.startsWith('!')) return problemFaults(row, text, status, facts);
  if (row.body[0]!.startsWith('= events '))
    return areEvents(row.body[0]!.slice('= events '.length), text, facts.ledger);
  const bytes = decode(body, headers.get('Content-Encoding'));
  const plain = bytes.toString();
  // What a page that was rendered on request loads; the files of the release are checked as a whole.
  const loaded = [...plain.matchAll(/="\/(_astro\/[^"]+)"/g)].map(([, path = '']) => path);
  const missing = loaded.filter((path) => !existsSync(join(facts.out, 'current/public', path)));
  return row.body
    .flatMap((line) => {
      const said = line.slice(2);
      if (line.startsWith('~'))
        return isLike(plain, `{any}${said}{any}`, (name) => meaningOf(name, facts))
          ? []
          : [`${said} is not in the body: ${excerpt(plain)}`];
      if (line.startsWith('= encoded '))
        return bytes.equals(publishedBytes(facts.out, line.slice('= encoded '.length)))
          ? []
          : [`the encoded body has other content: ${excerpt(plain)}`];
      if (line.startsWith('= sha256 '))
        return said === `sha256 ${hashOf(bytes)}`
          ? []
          : [`the body has the hash ${hashOf(bytes)}: ${excerpt(plain)}`];
      return [];
    })
    .concat(textFaults(row, plain, facts))
    .concat(missing.map((path) => `it loads /${path}, which is not published`));
}

/** Lines with a bar are the whole text. */
function textFaults({ body }: Row, text: string, facts: Facts): string[] {
  const lines = body.filter((line) => line.startsWith('|')).map((line) => line.slice(2));
  if (
    lines.length === 0 ||
    isLike(text.replace(/\n$/, ''), lines.join('\n'), (name) => meaningOf(name, facts))
  )
    return [];
  return [`expected the text ${excerpt(lines.join('\n'))}, found ${excerpt(text)}`];
}

/** `! code detail`, and `! code [/other] detail` where the problem names another path, or with `[]` none. */
function problemFaults(row: Row, text: string, status: number, facts: Facts): string[] {
  const [, code = '', instance, detail = ''] = /^! (\w+)(?: \[(.*?)\])? (.*)$/.exec(row.body[0]!) ?? [];
  const known = facts.titles.get(code);
  if (!known) return [`${code} is not in problems.txt`];
  const problem = JSON.parse(text) as Record<string, unknown>;
  const { detail: found, ...rest } = problem;
  const path = instance === undefined ? targetOf(row, facts) : writeOut(instance, facts);
  const expected = { type: `/problems/${code}/`, ...known, ...(path !== '' && { instance: path }), code };
  const sorted = (value: object) => JSON.stringify(Object.entries(value).toSorted());
  const faults =
    sorted(rest) === sorted(expected) && status === known.status
      ? []
      : [`expected ${JSON.stringify(expected)}, found ${text}`];
  return isLike(String(found), detail, (name) => meaningOf(name, facts))
    ? faults
    : [...faults, `expected the detail ${detail}, found ${found}`];
}

function decode(body: Buffer, encoding: string | undefined): Buffer {
  if (body.length === 0) return body;
  if (encoding === 'br') return brotliDecompressSync(body);
  return encoding === 'gzip' ? gunzipSync(body) : body;
}

const excerpt = (text: string) => JSON.stringify(text.length > 600 ? `${text.slice(0, 600)}…` : text);

/** Published bytes by their hash, to name what an answer has. */
export type Known = ReadonlyMap<string, string>;

/** The lines that say what was answered, for a row that has none yet. */
export function linesOf(row: Row, answer: Answer, facts: Facts, known: Known): string[] {
  const body = bodyLines(row, answer, facts, known);
  const subject = subjectOf({ ...row, body }, facts);
  const whole = subject?.whole ?? answer.body;
  const found = new Map(
    [...answer.headers].map(([name, value]) => [name, generalise(name, value, { ...answer, whole })]),
  );
  const candidates = [...facts.sets].map(([name, set]) => {
    const missing = [...set.keys()].filter((header) => !found.has(header)).map((header) => `-${header}`);
    const own = [...found]
      .filter(([header, value]) => set.get(header) !== value)
      .map(([header, value]) => `< ${header}: ${value}`);
    return {
      cost: missing.length + 2 * own.length,
      lines: [`< ${[answer.status, name, ...missing].join(' ')}`, ...own],
    };
  });
  return [...candidates.toSorted((a, b) => a.cost - b.cost)[0]!.lines, ...body];
}

function generalise(name: string, value: string, { body, whole }: { body: Buffer; whole: Buffer }): string {
  if (new RegExp(`^${PATTERNS.date}$`).test(value)) return '{date}';
  if (name === 'X-Request-Id') return '{id}';
  if (name === 'Content-Length' && (value === String(body.length) || value === String(whole.length)))
    return '{length}';
  if (name === 'ETag' && value === `"${sha256(whole)}"`) return '"{sha256}"';
  return value
    .replace(` */${whole.length}`, ' */{bytes}')
    .replace(new RegExp(`^(bytes \\d+-\\d+)/${whole.length}$`), '$1/{bytes}');
}

function bodyLines(row: Row, { body, headers, status }: Answer, facts: Facts, known: Known): string[] {
  const { out, titles } = facts;
  const tag = headers.get('ETag')?.slice(1, -1) ?? '';
  const [, from, to] = /^bytes (\d+)-(\d+)\//.exec(headers.get('Content-Range') ?? '') ?? [];
  const path = known.get(tag);
  if (path !== undefined && status !== 404) {
    if (status === 206) return [`= ${path}[${from}-${to}]`];
    return [body.equals(publishedBytes(out, path)) ? `= ${path}` : `= ${path}[]`];
  }
  if (body.length === 0) return [];
  const text = decode(body, headers.get('Content-Encoding')).toString();
  if (headers.get('Content-Type') === 'application/problem+json') {
    const { code, detail, instance } = JSON.parse(text) as Record<string, string>;
    if (!titles.has(code!)) throw new Error(`${code} is not in problems.txt`);
    return [`! ${code}${instance === targetOf(row, facts) ? '' : ` [${instance ?? ''}]`} ${detail}`];
  }
  const isShort = text.length <= 1000 && !text.includes('\n\n') && !/html|svg/.test(text);
  if (isShort)
    return text
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => `| ${line}`);
  return [`= sha256 ${hashOf(decode(body, headers.get('Content-Encoding')))}`];
}
