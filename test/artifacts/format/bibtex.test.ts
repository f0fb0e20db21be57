import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import bibtexParse from 'bibtex-parse';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Citation, formatBibtex } from '../../../pipeline/artifacts/format/bibtex.ts';
import { curlQuotes, formatLatex } from '../../../pipeline/artifacts/format/latex.ts';
import { parseLatex } from '../../../pipeline/artifacts/format/latex-text.ts';
import { faultOf } from '../../fault-of.ts';

const ACCENTED = 'áàâãāăäåőčçąïíîéñüÖŽşĜ';
const SYMBOLS = '–—‘’“”…\u00A0§©°·×÷−±≤≥≠→∥‖Σ²³ßæÆœŒøØłŁ';
const ASCII = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('');

/** For documents without the package url, and for biblatex, which stretches no line by itself. */
const PREAMBLE = String.raw`@preamble{"\providecommand{\url}[1]{{\ttfamily\def\each##1{\ifx##1\relax\else\string##1\allowbreak\expandafter\each\fi}\each#1\relax}}\ifdefined\printbibliography\AtBeginBibliography{\emergencystretch=3em}\fi"}`;

const SUPPLY: Citation = {
  key: 'cathedral_economy_supply',
  kind: 'data set',
  authors: [{ name: 'Cathedral Data Service', isOrganisation: true }],
  title: 'MIC supply',
  year: '2026',
  url: 'https://data.example.org/economy/supply',
  note: 'JSON file.',
  publisher: 'Cathedral Data Service',
  permanent: null,
  asOf: null,
};

describe('formatLatex', () => {
  test.each([
    ['10 % of A & B_c #1', '10 \\% of A \\& B\\_c \\#1'],
    [
      'a {b} ~ ^ \\ $',
      'a \\textbraceleft{}b\\textbraceright{} \\textasciitilde{} \\textasciicircum{} \\textbackslash{} \\$',
    ],
    ['é e\u0301 ï Ž ß', "{\\'{e}} {\\'{e}} {\\\"{i}} {\\v{Z}} {\\ss}"],
    ['“a” – ‘b’ — c…', "``a'' -- `b' --- c\\ldots{}"],
    ['"a" ("b", c"d) “e”', "``a'' (``b'', c''d) ``e''"],
    ['2 × 3 ≥ 5', '2 $\\times$ 3 $\\geq$ 5'],
    ['Δήμος & 市議会・データ', 'Δήμος \\& 市議会・データ'],
    ['--dry-run, ‘Why?‘ the ‘sentinels’”', "-{}-dry-run, `Why?{}` the `sentinels'{}''"],
  ])('writes %j as %j', (text, latex) => {
    expect(formatLatex(text, 'x')).toBe(latex);
  });

  test.each(['日本', 'Ελλάς', '🏛', 'α'])('leaves %j as it is', (text) => {
    expect(formatLatex(text, 'x')).toBe(text);
  });

  test.each(['\u0000', '\n', '\t'])('refuses %j, which has no form', (text) => {
    expect(faultOf(() => formatLatex(`a${text}`, 'x.bib: k.title'))).toMatchObject({
      code: 'artifact_invalid',
      place: 'x.bib: k.title',
      found: expect.stringMatching(/^U\+[0-9A-F]{4,}$/),
    });
  });

  test('gives printable ASCII with balanced braces, for whatever it takes', () => {
    const text = fc.string({ unit: fc.constantFrom(...ASCII, ...SYMBOLS, ...ACCENTED) });
    fc.assert(
      fc.property(text, (plain) => {
        const latex = formatLatex(plain, 'x');
        expect(latex).toMatch(/^[ -~]*$/);
        expect(latex.split('{').length).toBe(latex.split('}').length);
      }),
    );
  });
});

test('a long text takes time in proportion to its length', () => {
  const long = 'a-'.repeat(60_000);
  expect(formatLatex(long, 'x')).toBe(long);
});

test('no two signs are set as another one', () => {
  // One form for quotation marks, which LaTeX writes as straight ones.
  const read = (text: string) =>
    curlQuotes(text).replaceAll('’', "'").replaceAll('‘', '`').replaceAll('\u00A0', ' ');
  const signs = [...ASCII, ...SYMBOLS];
  for (const one of signs)
    for (const other of signs) {
      const text = `a${one}${other}a`;
      if (!/\s{2}/.test(text)) expect(read(parseLatex(formatLatex(text, 'x')))).toBe(read(text));
    }
});

describe('formatBibtex', () => {
  test('writes entries of the type software, with the five fields in order', () => {
    expect(formatBibtex('Heading', [SUPPLY], 'x')).toBe(
      `% Heading

${PREAMBLE}

@software{cathedral_economy_supply,
  author = {{Cathedral Data Service}},
  title = {{MIC supply}},
  year = {2026},
  url = {https://data.example.org/economy/supply},
  note = {JSON file.}
}
`,
    );
  });

  test.each([
    [
      'See https://a.org/b_c%20d#e. Then https://a.org/.',
      String.raw`See \url{https://a.org/b_c\%20d\#e}. Then \url{https://a.org/}.`,
    ],
    [`SHA-256 ${'ab'.repeat(32)}.`, `SHA-256 ${Array(16).fill('abab').join(' ')}.`],
    [
      `At https://a.org/b?sha256=${'ab'.repeat(32)}`,
      String.raw`At \url{https://a.org/b?sha256=} and the hash`,
    ],
    ['50 % of https: and http://', String.raw`50 \% of https: and http://`],
  ])('writes the note %j so that its lines can end', (note, latex) => {
    expect(formatBibtex('h', [{ ...SUPPLY, note }], 'x')).toContain(`  note = {${latex}}\n`);
  });

  test('comes back from bibtex-parse as it was written, with any text in it', () => {
    const text = fc.string({ unit: fc.constantFrom(...ASCII, ...SYMBOLS, ...ACCENTED), minLength: 1 });
    fc.assert(
      fc.property(fc.array(fc.record({ title: text, note: text }), { maxLength: 5 }), (texts) => {
        const citations = texts.map((item, index) => ({ ...SUPPLY, ...item, key: `k${index}` }));
        const entries = bibtexParse
          .parse(formatBibtex('Heading', citations, 'x'), { number: 'string' })
          .flatMap((item) => (item.itemtype === 'entry' ? [item] : []));
        expect(entries.map(({ key }) => key)).toEqual(citations.map(({ key }) => key));
        entries.forEach(({ type, fields }, index) => {
          expect(type).toBe('software');
          expect(fields.map(({ name }) => name)).toEqual(['author', 'title', 'year', 'url', 'note']);
          expect(fields[1]?.value).toBe(`{${formatLatex(citations[index]!.title, 'x')}}`);
          expect(fields[4]?.value).toBe(formatLatex(citations[index]!.note, 'x'));
        });
      }),
    );
  });

  test.each([
    ['a key with a capital', { key: 'Supply' }, 'x: [0].key'],
    ['a key with a comma', { key: 'a,b' }, 'x: [0].key'],
    ['a year of two digits', { year: '26' }, 'x: [0].year'],
    ['no year', { year: '' }, 'x: [0].year'],
    ['a URL with a brace', { url: 'https://a.b/}' }, 'x: [0].url'],
    ['a URL with a space', { url: 'https://a.b/c d' }, 'x: [0].url'],
    ['a path instead of a URL', { url: '/economy/supply' }, 'x: [0].url'],
    ['an empty note', { note: '' }, 'x: [0].note'],
    ['a title with a line end', { title: 'a\nb' }, 'x: cathedral_economy_supply.title'],
  ])('refuses %s', (_, change, place) => {
    const error = faultOf(() => formatBibtex('h', [{ ...SUPPLY, ...change }], 'x'));
    expect(error).toMatchObject({ code: 'artifact_invalid', place });
  });

  test('refuses one key for two entries', () => {
    expect(faultOf(() => formatBibtex('h', [SUPPLY, SUPPLY], 'x')).place).toBe('x: [1].key');
  });

  test('keeps an @ in the heading from opening an entry', () => {
    expect(formatBibtex('mail @software{x', [SUPPLY], 'x')).toContain(
      '% mail (at)software\\textbraceleft{}x\n',
    );
  });
});

const hasBibtex = spawnSync('bibtex', ['--version']).status === 0;

/** Not part of the set-up: TeX is large, and bibtex-parse checks each build. Runs where a machine has it. */
test.skipIf(!hasBibtex)('is read by the real bibtex without a warning', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bibtex-'));
  try {
    copyFileSync(new URL('./software.bst', import.meta.url), join(dir, 'software.bst'));
    const every = `${ASCII}${SYMBOLS}${ACCENTED}.`;
    const citations = [SUPPLY, { ...SUPPLY, key: 'every_character', title: every, note: every }];
    writeFileSync(join(dir, 'cathedral.bib'), formatBibtex('h', citations, 'x'));
    writeFileSync(join(dir, 'x.aux'), '\\relax\n\\citation{*}\n\\bibstyle{software}\n\\bibdata{cathedral}\n');
    const { status, stdout } = spawnSync('bibtex', ['x'], { cwd: dir, encoding: 'utf8' });
    expect(stdout).not.toMatch(/warning|error/i);
    expect(status).toBe(0);
    expect(readFileSync(join(dir, 'x.bbl'), 'utf8').match(/\\bibitem/g)).toHaveLength(2);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

const DATABASE = readFileSync(
  new URL('../../contract/release/examples/academics/citations.bib', import.meta.url),
  'utf8',
);

test('no word of a citation is longer than a line', () => {
  const notes = [...DATABASE.matchAll(/^ {2}(?:title|note) = (.*)$/gm)].map(([, text]) => text!);
  expect(notes.length).toBeGreaterThan(60);
  // `\url` breaks at these signs.
  const words = notes.flatMap((text) => text.split(/[\s/.?=:-]+/));
  expect(words.filter((word) => word.length > 30)).toEqual([]);
});
