import { loadFile } from '../../layout/load-file.ts';
import { pause } from '../../layout/pause.ts';

/** What it searches. */
export const SEARCH_FOLDER = '/search/index/';

/** Something that readers look for. */
export interface SearchEntry {
  kind: 'sentinel' | 'deliberation' | 'decision' | 'chart' | 'file' | 'term' | 'page';
  /** The path of its page, perhaps with the place in it. */
  href: string;
  title: string;
  /** Everything else by which it is found. */
  text: string;
}

/** `/search/index/entries.json`. */
export interface SearchIndex {
  /** Each has the records of its year, `/search/index/records-2026.json`. */
  years: readonly string[];
  entries: readonly SearchEntry[];
}

export interface Result extends SearchEntry {
  /** A part of the text, in pieces; every second one is what was found. */
  excerpt: readonly string[];
}

export interface Found {
  /** The number of results of the kind. */
  total: number;
  /** The number of results of each kind, whichever is selected. */
  counts: Readonly<Record<string, number>>;
  results: readonly Result[];
}

/** Characters of an excerpt before and after what was found. */
const [BEFORE, AFTER] = [60, 180];
/** A word of the query, or several between quotation marks. */
const TERM = /["“”„]([^"“”„]+)["“”„]|(\S+)/g;
const LETTER = /[\p{L}\p{N}]/u;

/** Entries that are prepared at once: all of them would keep a slow phone from answering for a quarter of a second. */
const PREPARED_AT_ONCE = 100;

/** An entry as it is searched: lower case without accents and marks, each word after a space. */
class Searched {
  readonly entry: SearchEntry;
  #folded: { title: string; text: string } | null = null;

  constructor(entry: SearchEntry) {
    this.entry = entry;
  }

  folded(): { title: string; text: string } {
    this.#folded ??= { title: fold(this.entry.title), text: fold(this.entry.text) };
    return this.#folded;
  }
}

/**
 * Searches entries. One is found if it has all words of the query, or words that begin with them; best are those with the words in their
 * title, and among equals the order of the entries stays.
 */
export class SearchEngine {
  readonly #all: readonly Searched[];

  constructor(entries: readonly SearchEntry[]) {
    // A record that was corrected in a later year is in both years; its page is one.
    const unique = new Map(entries.toReversed().map((entry) => [entry.href, entry]));
    this.#all = [...unique.values()].reverse().map((entry) => new Searched(entry));
  }

  /** Prepares the entries, with a pause after some of them. A search prepares what is left at once. */
  async prepare(pause: () => Promise<unknown>): Promise<this> {
    for (const [at, one] of this.#all.entries()) {
      one.folded();
      if (at % PREPARED_AT_ONCE === PREPARED_AT_ONCE - 1) await pause();
    }
    return this;
  }

  /** `kind`: empty for any. `most`: how many results have to be given. */
  search(query: string, kind: string, most: number): Found {
    const terms = termsOf(query);
    const whole = fold(query);
    const scored = this.#all
      .map((one) => ({ one, score: scoreOf(one, terms, whole) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score);
    const counts: Record<string, number> = {};
    for (const { one } of scored) counts[one.entry.kind] = (counts[one.entry.kind] ?? 0) + 1;
    const own = scored.filter(({ one }) => kind === '' || one.entry.kind === kind);
    return {
      total: own.length,
      counts,
      results: own
        .slice(0, most)
        .map(({ one: { entry } }) => ({ ...entry, excerpt: excerptOf(entry.text, terms) })),
    };
  }
}

/** `Zürich – 3 %` → ` zurich 3` */
function fold(text: string): string {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return ` ${plain.replaceAll(/[^\p{L}\p{N}]+/gu, ' ').trim()}`;
}

/** Each begins with a space, so that it is found at the beginning of words. A plural finds the singular, too. */
function termsOf(query: string): string[] {
  const terms = [...query.matchAll(TERM)].map(([, phrase, word]) =>
    phrase === undefined ? fold(word!).replace(/(?<=\w{3})s$/, '') : fold(phrase),
  );
  return terms.filter((term) => term !== ' ');
}

/** 0 if a term is missing. */
function scoreOf(one: Searched, terms: readonly string[], whole: string): number {
  const { title, text } = one.folded();
  if (terms.length === 0) return 0;
  let score = title === whole ? 100 : 0;
  for (const term of terms) {
    if (title.includes(term)) score += `${title} `.includes(`${term} `) ? 8 : 5;
    else if (text.includes(term)) score += `${text} `.includes(`${term} `) ? 2 : 1;
    else return 0;
  }
  return score;
}

/** The part of a text around the first word that was found, with all that were found in it. */
function excerptOf(text: string, terms: readonly string[]): string[] {
  const pieces = text.split(/([\p{L}\p{N}]+)/u);
  // Words of a phrase are marked one by one.
  const words = terms.flatMap((term) => term.trim().split(' '));
  const isFound = (piece: string) =>
    LETTER.test(piece) && words.some((word) => fold(piece).startsWith(` ${word}`));
  const first = Math.max(0, pieces.findIndex(isFound));
  let [from, before] = [first, 0];
  while (from > 0 && before < BEFORE) before += pieces[--from]!.length;
  while (from > 0 && !LETTER.test(pieces[from]!)) from += 1;
  const excerpt = [from > 0 ? '… ' : ''];
  let length = 0;
  let at = from;
  for (; at < pieces.length && length < BEFORE + AFTER; at += 1) {
    const piece = pieces[at]!;
    length += piece.length;
    if (isFound(piece)) excerpt.push(piece, '');
    else excerpt[excerpt.length - 1] += piece;
  }
  if (at < pieces.length) excerpt[excerpt.length - 1] += ' …';
  return excerpt;
}

let loading: Promise<SearchEngine> | null = null;

/** Loads what can be found from `/search/index/`, once. Rejects if it cannot be loaded; the next call tries again. */
export function loadEngine(folder: string): Promise<SearchEngine> {
  loading ??= load(folder);
  loading.catch(() => {
    loading = null;
  });
  return loading;
}

async function load(folder: string): Promise<SearchEngine> {
  const { years, entries } = await fetchJson<SearchIndex>(`${folder}entries.json`);
  const records = await Promise.all(
    years.toReversed().map((year) => fetchJson<SearchEntry[]>(`${folder}records-${year}.json`)),
  );
  return new SearchEngine([...entries, ...records.flat()]).prepare(pause);
}

function fetchJson<T>(address: string): Promise<T> {
  return loadFile(address, (response) => response.json(), { cache: 'no-cache' });
}
