import source from '../../../../docs/glossary.md?raw';
import { CathedralError } from '../../../../pipeline/errors.ts';
import { ON_THE_SITE } from '../../layout/doc-html.ts';

/** A word that the site explains. */
export interface Term {
  /** The anchor on the page of the glossary: `ledger-snapshot`. */
  id: string;
  /** As it stands in a sentence: `ledger snapshot`, `MIC`. */
  name: string;
  /** Plain text: one to three sentences. */
  meaning: string;
  /** Finds it in a text. */
  words: RegExp;
}

/** `| **term** | meaning | not |`: the terms of docs/glossary.md that readers meet. The others are for those who work on the software. */
const ROW = /^\| \*\*([^|]+)\*\* \| ([^|]+) \|.*\|$/gm;

/** The glossary of the site, by subject. */
export const GLOSSARY: readonly { title: string; terms: readonly Term[] }[] = source
  .split(/^## /m)
  .slice(1)
  .map((part) => ({
    title: part.slice(0, part.indexOf('\n')),
    terms: [...part.matchAll(ROW)].map(([, name = '', meaning = '']) => termIn(name, plainText(meaning))),
  }))
  .filter(({ terms }) => terms.length > 0);

/** Drops a link that is a sentence, unless it leads to a page. */
function plainText(markdown: string): string {
  return markdown
    .replaceAll(/\[([^\]]+)\]\(([^)#]+)[^)]*\)\.?/g, (whole, words: string, file: string) =>
      whole.endsWith('.') && !(file in ON_THE_SITE) ? '' : words,
    )
    .replaceAll('`', '')
    .trim();
}

function termIn(name: string, meaning: string): Term {
  // An acronym is spelt in one way; other words may begin a sentence or be in the plural.
  const isAcronym = name === name.toUpperCase();
  const words = isAcronym ? name : `${name}s?`;
  return {
    id: name.toLowerCase().replaceAll(' ', '-'),
    name,
    meaning,
    words: new RegExp(`(?<![\\p{L}\\p{N}/-])${words}(?![\\p{L}\\p{N}/-])`, isAcronym ? 'u' : 'iu'),
  };
}

const BY_ID: ReadonlyMap<string, Term> = new Map(
  GLOSSARY.flatMap(({ terms }) => terms.map((term) => [term.id, term])),
);

/** Throws site_failed for an id that the glossary does not have. */
export function termOf(id: string): Term {
  const term = BY_ID.get(id);
  if (term) return term;
  const expected = `one of ${[...BY_ID.keys()].join(', ')}`;
  throw new CathedralError('site_failed', { place: 'a term in a page', expected, found: id });
}

const explained = new WeakMap<Request, Set<string>>();

/** Whether this is the first use of a term on a page, which alone is explained, so that a text is not full of marks. */
export function isFirstUse(page: Request, id: string): boolean {
  const before = explained.get(page) ?? new Set();
  explained.set(page, before);
  return before.size < before.add(id).size;
}

/** What a reader who comes for the first time may not know. */
const JARGON = [
  ...['mic', 'mii', 'sentinel', 'cathedral', 'multiplier', 'threshold', 'coordination-score', 'roi'],
  ...['deliberation', 'drift', 'companion', 'companion-attestation'],
];

/** Divides a text at the first place of each such term, whose `id` a piece has. Of terms at one place, the longest counts. */
export function piecesOf(text: string): { text: string; id: string | null }[] {
  const found = JARGON.flatMap((id) => {
    const match = termOf(id).words.exec(text);
    return match ? [{ id, at: match.index, words: match[0] }] : [];
  }).sort((one, other) => one.at - other.at || other.words.length - one.words.length);
  const pieces: { text: string; id: string | null }[] = [];
  let end = 0;
  for (const { id, at, words } of found) {
    if (at < end) continue;
    pieces.push({ text: text.slice(end, at), id: null }, { text: words, id });
    end = at + words.length;
  }
  pieces.push({ text: text.slice(end), id: null });
  return pieces.filter((piece) => piece.text !== '');
}
