import { CathedralError } from '../../errors.ts';
import { formatPlace } from '../format/schema-fault.ts';
import type { Protocols } from './protocols.ts';
import type { Standards } from './standards.ts';
import type { TreatyFramework } from './treaty-framework.ts';

/** A reference in a text. */
interface Mention {
  /** `Article 7(2)` */
  name: string;
  /** The kind of thing it names, for messages. */
  kind: string;
  /** Where that would be. */
  document: keyof Diplomacy;
}

const ARTICLE = 'an article or paragraph of the treaty framework';
const ANNEX = 'an annex of the treaty framework';

const SINGLE = [
  { pattern: /\bArticle \d+(?:\(\d+\))?/g, kind: ARTICLE, document: 'treatyFramework' },
  { pattern: /\bAnnex [A-Z]\b/g, kind: ANNEX, document: 'treatyFramework' },
  { pattern: /\bTF-O\d+/g, kind: 'an obligation of the treaty framework', document: 'treatyFramework' },
  { pattern: /\bCDS-\d+(?:\.\d+)?/g, kind: 'a standard or clause', document: 'standards' },
  { pattern: /\bDP-\d+/g, kind: 'a protocol', document: 'protocols' },
  { pattern: /\[[^\]]*\]/g, kind: 'a work in the list of references', document: 'standards' },
] as const;

/** The separators of a list or a range: `5, 6 and 9`, `5 to 8`, `5–8`. */
const BETWEEN = '(?:, | and |, and | or |, or | to |[–-])';

const SEVERAL = [
  {
    pattern: list('Articles', String.raw`\d+(?:\(\d+\))?`),
    name: 'Article',
    kind: ARTICLE,
    document: 'treatyFramework',
  },
  { pattern: list('Annexes', '[A-Z]'), name: 'Annex', kind: ANNEX, document: 'treatyFramework' },
] as const;

/** Every reference in a text. Lists and ranges are expanded: `Articles 5 to 8` is four. */
export function mentions(text: string): Mention[] {
  const single = SINGLE.flatMap(({ pattern, ...rest }) => {
    return [...text.matchAll(pattern)].map(([name]) => ({ ...rest, name }));
  });
  const several = SEVERAL.flatMap(({ pattern, name, ...rest }) => {
    const items = [...text.matchAll(pattern)].flatMap(([, listed]) => itemsOf(listed!));
    return items.map((item) => ({ ...rest, name: `${name} ${item}` }));
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

/** A range that does not ascend, or mixes kinds of things, is returned unexpanded. */
function rangeOf(from: string, to: string): string[] {
  const [first, last] = [from, to].map((end) => (/^\d+$/.test(end) ? Number(end) : Number.NaN));
  if (/^[A-Z]$/.test(from) && from < to) return [from, to];
  if (!(first! < last!)) return [`${from} to ${to}`];
  // Longer than in any document, so that a typing error does not expand to a million names.
  const end = Math.min(last!, first! + 1000);
  return Array.from({ length: end - first! + 1 }, (_, index) => String(first! + index));
}

type Path = readonly (string | number)[];

/** Null where the organisation has none. */
export interface Diplomacy {
  treatyFramework: TreatyFramework | null;
  standards: Standards | null;
  protocols: Protocols | null;
}

/**
 * Checks that every reference in the three diplomacy documents leads somewhere; `files` names their files. Throws
 * document_invalid for the first that does not.
 */
export function assertReferences(documents: Diplomacy, files: Record<keyof Diplomacy, string>): void {
  const known = knownNames(documents);
  for (const name of ['treatyFramework', 'standards', 'protocols'] as const) {
    for (const [path, text] of strings(documents[name], [])) {
      const lost = mentions(text).find((mention) => !known.has(mention.name));
      if (!lost) continue;
      const why = documents[lost.document]
        ? 'which does not exist'
        : `and there is no ${files[lost.document]}`;
      refuse(files[name], path, lost.kind, `${lost.name}, ${why}`);
    }
  }
  const { treatyFramework, standards } = documents;
  if (treatyFramework) assertClasses(treatyFramework, files.treatyFramework);
  if (treatyFramework) assertSurvivors(treatyFramework, known, files.treatyFramework);
  if (standards) assertListed(standards, files.standards);
}

function knownNames({ treatyFramework, standards, protocols }: Diplomacy): ReadonlySet<string> {
  return new Set([
    ...(treatyFramework?.articles ?? []).flatMap(({ number, paragraphs }) => [
      `Article ${number}`,
      ...paragraphs.map((paragraph) => `Article ${number}(${paragraph.number})`),
    ]),
    ...(treatyFramework?.annexes ?? []).map(({ id }) => `Annex ${id}`),
    ...(treatyFramework?.obligations ?? []).map(({ id }) => id),
    ...(standards?.standards ?? []).flatMap(({ id, clauses }) => [id, ...clauses.map((clause) => clause.id)]),
    ...(standards?.references ?? []).map(({ id }) => `[${id}]`),
    ...(protocols?.protocols ?? []).map(({ id }) => id),
  ]);
}

/** Three lists name classes of party by id. */
function assertClasses({ parties, obligations, entry_into_force }: TreatyFramework, file: string): void {
  const classes = new Set(parties.classes.map(({ id }) => id));
  const named: [Path, string][] = [
    ...obligations.flatMap(({ who }, index) =>
      who.map((id, at): [Path, string] => [['obligations', index, 'who', at], id]),
    ),
    ...parties.signatures.map((signature, index): [Path, string] => [
      ['parties', 'signatures', index, 'class'],
      signature.class,
    ]),
    ...entry_into_force.of_which.map((share, index): [Path, string] => [
      ['entry_into_force', 'of_which', index, 'class'],
      share.class,
    ]),
  ];
  for (const [path, id] of named) {
    if (!classes.has(id)) refuse(file, path, 'the id of a class of party', `${id}, which does not exist`);
  }
}

function assertSurvivors({ withdrawal }: TreatyFramework, known: ReadonlySet<string>, file: string): void {
  withdrawal.surviving_obligations.forEach((id, index) => {
    const path = ['withdrawal', 'surviving_obligations', index];
    if (!known.has(id)) refuse(file, path, 'the id of an obligation', `${id}, which does not exist`);
  });
}

/** A standard lists at least the works that its clauses refer to. */
function assertListed({ standards, references }: Standards, file: string): void {
  const ids = new Set(references.map(({ id }) => id));
  standards.forEach((standard, index) => {
    standard.references.forEach((id, at) => {
      const path = ['standards', index, 'references', at];
      if (!ids.has(id)) refuse(file, path, 'a work in the list of references', `${id}, which does not exist`);
    });
    standard.clauses.forEach(({ text }, at) => {
      const missing = [...text.matchAll(/\[([^\]]*)\]/g)].find(
        ([, id]) => !standard.references.includes(id!),
      );
      if (!missing) return;
      const path = ['standards', index, 'clauses', at, 'text'];
      refuse(file, path, 'a work that the standard lists in its references', missing[0]);
    });
  });
}

function* strings(value: unknown, path: Path): Generator<[Path, string]> {
  if (typeof value === 'string') yield [path, value];
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* strings(item, [...path, index]);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) yield* strings(member, [...path, key]);
  }
}

function refuse(file: string, path: Path, expected: string, found: string): never {
  throw new CathedralError('document_invalid', { place: formatPlace(file, path), expected, found });
}
