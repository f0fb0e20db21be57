/** A reference that a text makes, in the notation of what it has to be the name of. */
export interface Mention {
  /** `Article 7(2)` */
  name: string;
  /** What it should be the name of, for messages. */
  kind: string;
}

const ARTICLE = 'an article or paragraph of the treaty framework';
const ANNEX = 'an annex of the treaty framework';

const SINGLE = [
  { pattern: /\bArticle \d+(?:\(\d+\))?/g, kind: ARTICLE },
  { pattern: /\bAnnex [A-Z]\b/g, kind: ANNEX },
  { pattern: /\bTF-O\d+/g, kind: 'an obligation of the treaty framework' },
  { pattern: /\bCDS-\d+(?:\.\d+)?/g, kind: 'a standard or clause' },
  { pattern: /\bDP-\d+/g, kind: 'a protocol' },
  { pattern: /\[[^\]]*\]/g, kind: 'a work in the list of references' },
] as const;

/** What stands between the items of a list, or the ends of a range: `5, 6 and 9`, `5 to 8`, `5–8`. */
const BETWEEN = '(?:, | and |, and | or |, or | to |[–-])';

const SEVERAL = [
  { pattern: list('Articles', String.raw`\d+(?:\(\d+\))?`), name: 'Article', kind: ARTICLE },
  { pattern: list('Annexes', '[A-Z]'), name: 'Annex', kind: ANNEX },
] as const;

/** Every reference in a text, those of a list or a range one by one: `Articles 5 to 8` is four. */
export function mentions(text: string): Mention[] {
  const single = SINGLE.flatMap(({ pattern, kind }) => {
    return [...text.matchAll(pattern)].map(([name]) => ({ name, kind }));
  });
  const several = SEVERAL.flatMap(({ pattern, name, kind }) => {
    const items = [...text.matchAll(pattern)].flatMap(([, listed]) => itemsOf(listed!));
    return items.map((item) => ({ name: `${name} ${item}`, kind }));
  });
  return [...single, ...several];
}

function list(plural: string, item: string): RegExp {
  return new RegExp(String.raw`\b${plural} (${item}(?:${BETWEEN}${item})*)`, 'g');
}

/** `3, 5 to 8 and 9(2)` → `3`, `5`, `6`, `7`, `8`, `9(2)`. */
function itemsOf(listed: string): string[] {
  return listed.split(/, and |, or |, | and | or /).flatMap((item) => {
    const [from = '', to] = item.split(/ to |[–-]/);
    return to === undefined ? [from] : rangeOf(from, to);
  });
}

/** A range that does not go up, or does not end in the kind of thing that it begins with, is named as it stands. */
function rangeOf(from: string, to: string): string[] {
  const [first, last] = [from, to].map((end) => (/^\d+$/.test(end) ? Number(end) : Number.NaN));
  if (/^[A-Z]$/.test(from) && from < to) return [from, to];
  if (!(first! < last!)) return [`${from} to ${to}`];
  // Beyond any document, so that a slip of the keyboard does not become a million names.
  const end = Math.min(last!, first! + 1000);
  return Array.from({ length: end - first! + 1 }, (_, index) => String(first! + index));
}
