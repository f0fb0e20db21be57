import bibtexParse, { type BibtexItem, type BibtexValue } from 'bibtex-parse';
import type { Fault } from '../../errors.ts';
import { formatList } from '../../words/phrase.ts';
import { parseLatex } from './latex-text.ts';
import { describe } from './schema-fault.ts';

/** An entry of a `.bib` file. */
export interface BibEntry {
  key: string;
  /** Where it begins, from 1. */
  line: number;
  /** LaTeX by the field's name in lower case. */
  fields: ReadonlyMap<string, BibField>;
}

/** A value, or why there is none: only a field that is used has to be right. */
type BibField = string | Omit<Fault, 'place'>;

type RawEntry = Extract<BibtexItem, { itemtype: 'entry' }>;

/**
 * Every entry of a BibTeX or biblatex text, with its `@string` abbreviations replaced. What the parser would take for a comment although it looks
 * like an entry is a fault as well, so that no entry is lost. `place` is the file's.
 */
export function readBibliography(text: string, place: string): { entries: BibEntry[]; faults: Fault[] } {
  let items: BibtexItem[];
  try {
    items = bibtexParse.parse(text, { number: 'string' });
  } catch (error) {
    return { entries: [], faults: [syntaxFault(error, text, place)] };
  }
  const strings = new Map(
    items.flatMap((item) => (item.itemtype === 'string' ? [[item.name.toLowerCase(), item]] : [])) as [
      string,
      BibtexValue,
    ][],
  );
  const entries: BibEntry[] = [];
  const faults: Fault[] = [];
  for (const { item, before, line } of placed(items, text)) {
    if (item.itemtype === 'comment') {
      for (const { below, ...fault } of commentFaults(item.comment, before?.itemtype === 'entry'))
        faults.push({ place: `${place}:${line + below}`, ...fault });
    } else if (item.itemtype === 'entry') {
      const fault = entryFault(item, before?.itemtype === 'comment' ? before.comment : '');
      if (fault) faults.push({ place: `${place}:${line}`, ...fault });
      else entries.push(toEntry(item, line, strings));
    }
  }
  const words = /^\s*[^\s%@].*/m.exec(text)?.[0];
  if (entries.length === 0 && faults.length === 0 && words !== undefined && !/@/.test(text))
    faults.push({
      place,
      expected: 'BibTeX, in which an entry begins with @',
      found: describe(words.trim()),
    });
  return { entries, faults };
}

interface Placed {
  item: BibtexItem;
  /** What stands before it in the file. */
  before: BibtexItem | undefined;
  line: number;
}

/** The parser gives no places. Entries and comments stand in the text as they are. */
function* placed(items: readonly BibtexItem[], text: string): Generator<Placed> {
  let at = 0;
  let line = 1;
  for (const [index, item] of items.entries()) {
    const raw = item.itemtype === 'entry' ? item.raw : item.itemtype === 'comment' ? item.comment : '';
    const start = raw === '' ? at : text.indexOf(raw, at);
    line += lines(text.slice(at, start));
    yield { item, before: items[index - 1], line };
    line += lines(raw);
    at = start + raw.length;
  }
}

/** What looks like an entry, or like the rest of one, in what the parser takes for a comment. `below`: lines after the comment's first. */
function* commentFaults(
  comment: string,
  isAfterEntry: boolean,
): Generator<Omit<Fault, 'place'> & { below: number }> {
  const rest = isAfterEntry ? /^\s*(\}|,\s*\S).*/.exec(comment)?.[0] : undefined;
  const ends = 'an entry whose last brace ends it';
  if (rest !== undefined) yield { expected: ends, found: `${describe(rest.trim())} after it`, below: 0 };
  const hidden = hiddenEntry(comment);
  const expected = 'an entry with its key and fields in braces, @string, @preamble or @comment';
  if (hidden) yield { expected, found: hidden[1], below: lines(comment.slice(0, hidden[0])) };
}

function lines(text: string): number {
  return text.split('\n').length - 1;
}

function syntaxFault(error: unknown, text: string, place: string): Fault {
  const { location } = error as { location?: { start: { line: number; offset: number } } };
  // Without a location the text is nested so deeply that the parser gave up.
  if (!location) return { place, expected: 'BibTeX', found: 'braces that are nested too deeply' };
  const { line, offset } = location.start;
  return {
    place: `${place}:${line}`,
    expected: 'an entry whose braces and quotation marks are closed and whose fields end with commas',
    found: describe(text.slice(offset).split('\n')[0]),
  };
}

/** Where a line outside of `@comment{…}` begins as an entry does. */
function hiddenEntry(comment: string): [offset: number, line: string] | null {
  for (let at = comment.indexOf('@'); at >= 0; at = comment.indexOf('@', at + 1)) {
    const rest = comment.slice(at);
    const block = /^@comment\s*\{/i.exec(rest);
    if (block) at += blockLength(rest, block[0].length) - 1;
    else if (
      /^@\s*(?!comment\b)[A-Za-z]*\s*[{(]/i.test(rest) ||
      (/^@(?!comment\b)/i.test(rest) && /(^|\n)\s*$/.test(comment.slice(0, at)))
    )
      return [at, describe(rest.split('\n')[0])];
  }
  return null;
}

/** Up to the brace that closes the one before `from`. */
function blockLength(text: string, from: number): number {
  let depth = 1;
  let at = from;
  for (; depth > 0 && at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '{') depth += 1;
    else if (text[at] === '}') depth -= 1;
  }
  return at;
}

function entryFault({ key, fields, raw, type }: RawEntry, before: string): Omit<Fault, 'place'> | null {
  if (/%[^\n]*$/.test(before))
    return {
      expected: '@comment{…} around an entry that is not to be read',
      found: '% before it, which BibTeX ignores',
    };
  if (key === null)
    return { expected: `a key and a comma, as in @${type}{smith2026,`, found: describe(raw.split('\n')[0]) };
  const [inner] = /^[ \t]*@[A-Za-z]+\s*\{[^,{}=]+,/m.exec(raw.slice(1)) ?? [];
  if (inner !== undefined)
    return {
      expected: `braces that close before the next entry`,
      found: `${describe(inner.trim())} in the entry ${key}`,
    };
  const named = fields.find(({ datatype, name }) => datatype === 'null' || /\s/.test(name));
  return named
    ? { expected: `a value for each field of ${key}, as in year = {2026}`, found: describe(named.name) }
    : null;
}

function toEntry(
  { key, fields }: RawEntry,
  line: number,
  strings: ReadonlyMap<string, BibtexValue>,
): BibEntry {
  const values = new Map<string, BibField>();
  for (const field of fields) {
    const name = field.name.toLowerCase();
    const isRepeated = values.has(name);
    values.set(
      name,
      isRepeated ? { expected: `${name} once`, found: 'two of it' } : resolve(field, strings, 0),
    );
  }
  return { key: key!.normalize('NFC'), line, fields: values };
}

/** `@string`s may be made of others. */
function resolve(value: BibtexValue, strings: ReadonlyMap<string, BibtexValue>, depth: number): BibField {
  if (value.datatype === 'null') return '';
  if (value.datatype === 'concatinate') {
    const parts = value.value.map((part) => resolve(part, strings, depth));
    return parts.find((part) => typeof part !== 'string') ?? parts.join('');
  }
  if (value.datatype !== 'identifier') return value.value;
  const known = strings.get(value.value.toLowerCase());
  // One that refers to itself is not defined either.
  if (known && depth < 10) return resolve(known, strings, depth + 1);
  return { expected: 'a value in braces or a @string that is defined', found: value.value };
}

/** A person or an organisation. */
export interface Author {
  /** `Last, First`, `Last, Jr., First`, or one part alone; an organisation's as it is. */
  name: string;
  /** BibTeX has to be told not to take its name apart. */
  isOrganisation: boolean;
}

/** The names of an `author` field. Null where one is empty, or has more than two commas or a semicolon, as several names in one have. */
export function readAuthors(latex: string): Author[] | null {
  const names = splitOutsideBraces(latex.trim(), /\s+and\s+/gi).map(readAuthor);
  return names.includes(null) ? null : (names as Author[]);
}

function readAuthor(latex: string): Author | null {
  const name = parseLatex(latex);
  if (name === '') return null;
  if (/^\0+$/.test(masked(latex.trim()))) return { name, isOrganisation: true };
  const fields = splitOutsideBraces(latex, /,/g);
  const isNamed = /^\s*[a-z-]+\s*=/.test(latex);
  const given = isNamed ? namedParts(fields) : fields.length === 1 ? lastAndFirst(latex) : fields;
  const parts = given.map(parseLatex);
  if (parts.length > 3 || splitOutsideBraces(latex, /;/g).length > 1) return null;
  const read = parts.join(', ');
  // Braces may have hidden what would take the name apart.
  const hides = /\sand\s/i.test(read) || read.split(',').length > parts.length;
  return hides ? { name, isOrganisation: true } : { name: read, isOrganisation: false };
}

/** `First von Last` taken apart as BibTeX does: the last name begins with the first word in lower case, or is the last word. */
function lastAndFirst(latex: string): string[] {
  const words = splitOutsideBraces(latex.trim(), /[\s~]+/g);
  // BibTeX takes a word in braces as one with a capital letter, but for an accent in braces.
  const isLower = (word: string) => !/^\{[^\\]/.test(word) && /^\p{Ll}/u.test(parseLatex(word));
  const lower = words.findIndex(isLower);
  const at = lower < 0 ? words.length - 1 : lower;
  return [words.slice(at), words.slice(0, at)]
    .filter(({ length }) => length > 0)
    .map((part) => part.join(' '));
}

/** The form `family=Goes, given=Hugo, prefix=van der` of biblatex, in the order of the other form. */
function namedParts(fields: readonly string[]): string[] {
  const named = new Map(
    fields.map(
      (field) => (/^\s*([a-z-]+)\s*=\s*(.*?)\s*$/s.exec(field)?.slice(1) as [string, string]) ?? ['', ''],
    ),
  );
  const [prefix, family, suffix, given] = ['prefix', 'family', 'suffix', 'given'].map(
    (name) => named.get(name) ?? '',
  );
  return [`${prefix} ${family}`, suffix!, given!].filter((part) => part.trim() !== '');
}

/** `Ada Lovelace, the Royal Society and others`. */
export function authorWords(authors: readonly Author[]): string {
  return formatList(
    authors.map((author) => {
      const { last, suffix, first } = nameParts(author);
      return [first === undefined ? last : `${first} ${last}`, ...suffix].join(', ');
    }),
  );
}

/** An organisation, and a name of one part, have only the last name. */
export function nameParts({ name, isOrganisation }: Author): {
  last: string;
  suffix: string[];
  first?: string;
} {
  const [last, ...suffix] = isOrganisation ? [name] : name.split(', ');
  const first = suffix.pop();
  return { last: last!, suffix, ...(first !== undefined && { first }) };
}

/** Parts between separators that are not in braces. */
export function splitOutsideBraces(latex: string, separator: RegExp): string[] {
  const parts: string[] = [];
  let from = 0;
  for (const { index, 0: found } of masked(latex).matchAll(separator)) {
    parts.push(latex.slice(from, index));
    from = index + found.length;
  }
  return [...parts, latex.slice(from)];
}

/**
 * The same length, with what is in braces replaced, and outside of them a command with the blank that ends it: `\~` is no blank, and `S\o ren`
 * one word.
 */
function masked(latex: string): string {
  let depth = 0;
  return latex.replaceAll(/\\(?:[a-z]+(?:\s+(?!and\s))?|[\s\S])|[\s\S]/gi, (sign) => {
    if (sign === '{') depth += 1;
    const shown = depth > 0 ? '\0' : sign.startsWith('\\') ? '\x01' : sign;
    if (sign === '}' && depth > 0) depth -= 1;
    return shown.repeat(sign.length / shown.length);
  });
}
