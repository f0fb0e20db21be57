import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One request and what is answered, as the tables have it; see requests/README.md. */
export interface Row {
  /** `files.txt:12` */
  place: string;
  /** Lines of the file: where the row begins, and where its answer would. */
  start: number;
  end: number;
  server: string;
  times: number;
  /** It is sent right behind the row before, on the same connection, without waiting for its answer. */
  behind: boolean;
  /** The request ends before its headers do. */
  unfinished: boolean;
  /** The client's address; null: one that no other row has. */
  client: string | null;
  /** The request line and the headers, with placeholders. */
  request: string[];
  /** Of the request; null: none. */
  sent: string | null;
  /** Lines of the answer without their `<`; empty where nobody has written it yet. */
  answer: string[];
  /** Lines about the body. */
  body: string[];
}

/** A set of headers has a name, so that a row need not repeat them. */
export type HeaderSets = ReadonlyMap<string, ReadonlyMap<string, string>>;

export const TABLES = join(import.meta.dirname, 'requests');

/** Blocks of lines between empty ones; a comment belongs to no block. */
function* blocksOf(file: string): Generator<{ start: number; lines: string[] }> {
  let block: { start: number; lines: string[] } = { start: 0, lines: [] };
  const all = readFileSync(join(TABLES, file), 'utf8').split('\n');
  for (const [index, line] of [...all, ''].entries()) {
    if (line.startsWith('#')) continue;
    if (line !== '') {
      if (block.lines.length === 0) block.start = index;
      block.lines.push(line);
    } else if (block.lines.length > 0) {
      yield block;
      block = { start: 0, lines: [] };
    }
  }
}

/** Throws for a line that has no meaning. */
export function readRows(file: string): Row[] {
  return [...blocksOf(file)].map(({ start, lines }) => {
    const place = `${file}:${start + 1}`;
    const row: Row = {
      ...{
        place,
        start,
        end: start + lines.length,
        server: 'main',
        times: 1,
        behind: false,
        unfinished: false,
        client: null,
      },
      ...{ request: [], sent: null, answer: [], body: [] },
    };
    for (const line of lines) {
      const [, sign, text = ''] = /^(@|>>|>|<|=|!|\||~)(?: (.*))?$/.exec(line) ?? [];
      if (sign === '@') Object.assign(row, readDirective(text));
      else if (sign === '>') row.request.push(text);
      else if (sign === '>>') row.sent = row.sent === null ? text : `${row.sent}\n${text}`;
      else if (sign === '<') row.answer.push(text);
      else if (sign !== undefined) row.body.push(line);
      else throw new Error(`${place}: expected a line that begins with @ > >> < = ! | or ~, found ${line}`);
    }
    return row;
  });
}

/** What is sent on one connection: a row, and those behind it. */
export function onConnections(rows: readonly Row[]): Row[][] {
  const all: Row[][] = [];
  for (const row of rows)
    if (row.behind) all.at(-1)!.push(row);
    else all.push([row]);
  return all;
}

function readDirective(text: string): Partial<Row> {
  const [name, value = ''] = text.split(' ');
  if (name === 'server') return { server: value };
  if (name === 'times') return { times: Number(value) };
  if (name === 'behind') return { behind: true };
  if (name === 'unfinished') return { unfinished: true };
  if (name === 'client') return { client: value };
  throw new Error(`expected the directive server, times, behind, unfinished or client, found ${text}`);
}

/** `data: file open`, then a header a line. */
export function readHeaderSets(file: string): HeaderSets {
  const sets = new Map<string, Map<string, string>>();
  for (const { lines } of blocksOf(file)) {
    const [first = '', ...own] = lines;
    const [, name = '', others = ''] = /^(\S+):(.*)$/.exec(first)!;
    const all = new Map<string, string>();
    for (const line of own) all.set(...readHeader(line.trim()));
    sets.set(name, joinSets(sets, others.split(' ').filter(Boolean), all));
  }
  return sets;
}

function joinSets(
  sets: HeaderSets,
  names: readonly string[],
  own: ReadonlyMap<string, string>,
): Map<string, string> {
  const all = new Map<string, string>();
  for (const name of names) {
    if (name.startsWith('-')) {
      if (!all.delete(name.slice(1))) throw new Error(`there is no ${name.slice(1)} to leave out`);
      continue;
    }
    const set = sets.get(name);
    if (!set) throw new Error(`expected the name of a set of headers, found ${name}`);
    for (const [header, value] of set) all.set(header, value);
  }
  for (const [header, value] of own) all.set(header, value);
  return all;
}

function readHeader(line: string): [string, string] {
  const [, name = '', value = ''] = /^([^:]+): ?(.*)$/.exec(line) ?? [];
  if (name === '') throw new Error(`expected a header, found ${line}`);
  return [name, value];
}

export interface Expected {
  status: number;
  headers: ReadonlyMap<string, string>;
}

export function expectedOf({ answer: [first = '', ...lines] }: Row, sets: HeaderSets): Expected {
  const [status, ...names] = first.split(' ');
  return { status: Number(status), headers: joinSets(sets, names, new Map(lines.map(readHeader))) };
}

export const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');

/** What stands for something that differs from run to run. */
export const PATTERNS: Readonly<Record<string, string>> = {
  date: '\\w{3}, \\d\\d \\w{3} \\d{4} \\d\\d:\\d\\d:\\d\\d GMT',
  id: '[\\w-]{8}-[0-9a-z]+',
  n: '\\d+',
  hash: '[0-9a-f]{64}',
  any: '.*',
};

/** Whether a text is as the table says. `values`: what further placeholders stand for. */
export function isLike(text: string, pattern: string, values: (name: string) => string): boolean {
  const parts = pattern.split(/(\{[^{}"]+\})/).map((part, index) => {
    if (index % 2 === 0) return RegExp.escape(part);
    const name = part.slice(1, -1);
    return PATTERNS[name] ?? RegExp.escape(values(name));
  });
  return new RegExp(`^${parts.join('')}$`, 's').test(text);
}
