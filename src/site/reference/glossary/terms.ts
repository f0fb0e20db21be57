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
  /** The page with everything about it. */
  more: { href: string; label: string } | null;
}

type Row = readonly [name: string, more?: readonly [href: string, label: string]];

/** The terms of docs/glossary.md that readers meet, by subject. The others are for those who work on the software. */
const READERS: readonly { title: string; rows: readonly Row[] }[] = [
  {
    title: 'The ledger',
    rows: [
      ['ledger', ['/verification/', 'How to verify it']],
      ['event', ['/events/', 'All event types']],
      ['genesis'],
      ['cycle'],
      ['slot'],
      ['ledger snapshot'],
      ['demo ledger'],
    ],
  },
  {
    title: 'Money and integrity',
    rows: [
      ['MIC', ['/economy/', 'Supply, minting and rewards']],
      ['MII', ['/charts/mii/', 'The index over time']],
      ['threshold', ['/charts/mii/', 'The index and its threshold over time']],
      ['mint', ['/charts/minting/', 'Mints over time']],
      ['burn'],
      ['multiplier', ['/files/economy/cathedral-multipliers.csv/', 'All multipliers']],
      ['coordination score', ['/charts/reward-curve/', 'What a mint earns by score']],
      ['ROI', ['/files/economy/sentinel-roi.json/', 'By sentinel']],
    ],
  },
  {
    title: 'Who acts, and how they decide',
    rows: [
      ['cathedral'],
      ['sentinel', ['/sentinels/', 'All sentinels']],
      ['heartbeat'],
      ['drift', ['/charts/drift/', 'Drift over time']],
      ['deliberation', ['/deliberations/', 'All deliberations']],
      ['position'],
      ['consensus', ['/charts/consensus/', 'Consensus over time']],
      ['decision', ['/decisions/', 'All decisions']],
      ['companion'],
      ['companion attestation', ['/attestations/', 'Verify one']],
    ],
  },
  {
    title: 'Files and versions',
    rows: [
      ['release'],
      ['manifest'],
      ['snapshot', ['/snapshots/', 'All snapshots']],
      ['history'],
      ['area'],
      ['portal'],
      ['restricted file', ['/api/', 'How to get a key']],
      ['closed year'],
      ['as of'],
      ['stale'],
      ['publisher', ['/about/', 'About this service']],
      ['API key', ['/api/', 'How to get one']],
      ['live stream'],
      ['embed', ['/embedding/', 'How to embed a chart']],
    ],
  },
  {
    title: 'Proof',
    rows: [
      ['log', ['/verification/log/', 'The log of this ledger']],
      ['checkpoint'],
      ['root hash'],
      ['proof', ['/verification/', 'Prove an event']],
      ['verify', ['/verification/', 'How to verify']],
      ['witness'],
      ['cosignature'],
      ['mirror', ['/mirrors/', 'How to run one']],
    ],
  },
  {
    title: 'Simulation',
    rows: [['simulation', ['/philosophy/simulation/', 'Take part']], ['scenario'], ['tick']],
  },
];

/** `| term | meaning | not |` */
const ROW = /^\| ([^|]+) \| ([^|]+) \|.*\|$/gm;

/** The meanings of the document, by term. A row may name several terms, and a text may have links and code. */
function parseGlossary(text: string): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(ROW)].flatMap(([, names = '', meaning = '']) =>
      names.split(', ').map((name) => [name, plainText(meaning)] as const),
    ),
  );
}

function plainText(markdown: string): string {
  return markdown
    .replaceAll(/\[([^\]]+)\]\(([^)#]+)[^)]*\)\.?/g, (whole, words: string, file: string) =>
      whole.endsWith('.') && !(file in ON_THE_SITE) ? '' : words,
    )
    .replaceAll('`', '')
    .trim();
}

const MEANINGS = parseGlossary(source);

function toTerm([name, more]: Row): Term {
  const meaning = MEANINGS.get(name);
  if (meaning === undefined) {
    const expected = `the term “${name}”`;
    throw new CathedralError('site_failed', { place: 'docs/glossary.md', expected, found: 'none' });
  }
  // An acronym is spelt in one way; other words may begin a sentence or be in the plural.
  const words = name === name.toUpperCase() ? name : `${name}s?`;
  return {
    id: name.toLowerCase().replaceAll(' ', '-'),
    name,
    meaning,
    words: new RegExp(
      `(?<![\\p{L}\\p{N}/-])${words}(?![\\p{L}\\p{N}/-])`,
      name === name.toUpperCase() ? 'u' : 'iu',
    ),
    more: more ? { href: more[0], label: more[1] } : null,
  };
}

/** The glossary of the site, by subject. */
export const GLOSSARY: readonly { title: string; terms: readonly Term[] }[] = READERS.map(
  ({ title, rows }) => ({
    title,
    terms: rows.map(toTerm),
  }),
);

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
export const JARGON = [
  'mic',
  'mii',
  'sentinel',
  'cathedral',
  'multiplier',
  'threshold',
  'coordination-score',
  'roi',
  'deliberation',
  'drift',
  'companion',
  'companion-attestation',
];

/** A piece of a text; `id`: the term that it is. */
export interface Piece {
  text: string;
  id: string | null;
}

/** Divides a text at the first place of each of these terms. Of terms at one place, the longest counts. */
export function piecesOf(text: string, ids: readonly string[]): Piece[] {
  const found = ids
    .flatMap((id) => {
      const match = termOf(id).words.exec(text);
      return match ? [{ id, at: match.index, words: match[0] }] : [];
    })
    .sort((one, other) => one.at - other.at || other.words.length - one.words.length);
  const pieces: Piece[] = [];
  let end = 0;
  for (const { id, at, words } of found) {
    if (at < end) continue;
    pieces.push({ text: text.slice(end, at), id: null }, { text: words, id });
    end = at + words.length;
  }
  pieces.push({ text: text.slice(end), id: null });
  return pieces.filter((piece) => piece.text !== '');
}
