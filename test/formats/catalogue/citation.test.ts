import { Cite } from '@citation-js/core';
import '@citation-js/plugin-bibtex';
import '@citation-js/plugin-csl';
import '@citation-js/plugin-ris';
import { describe, expect, test } from 'vitest';
import { citeAll, citeDataset } from '../../../pipeline/artifacts/academics/citations.ts';
import { readAuthors } from '../../../pipeline/artifacts/format/bibliography.ts';
import { formatBibtex } from '../../../pipeline/artifacts/format/bibtex.ts';
import { ARTIFACTS } from '../../../pipeline/artifacts/table.ts';
import {
  citationTexts,
  formatBibtexEntry,
  formatCslJson,
  formatRis,
  formatText,
  toCsl,
} from '../../../pipeline/formats/catalogue/citation.ts';
import { tinyFacts } from './tiny-facts.ts';

const { organisation, baseUrl, asOf, files, papers } = tinyFacts();
const paper = papers[0]!;
const author = organisation.name;
const MINTED = '2026-01-04T18:02:11Z';
const HASH = 'ab'.repeat(32);
const version = (path: string, as_of?: string) => [path, { as_of, sha256: HASH }] as const;
const versions = new Map([
  ...files.map(({ path }) => version(path, asOf)),
  version('economy/mic-history.csv', MINTED),
  version('diplomacy/standards.json'),
  version('government/policy-impact.json'),
]);
const cited = { organisation, baseUrl, asOf, versions };
const citations = ARTIFACTS.map((artifact) => citeDataset(cited, artifact));
const mints = citations.find(({ key }) => key === 'cathedral_economy_mic_history_csv')!;

/** What the library makes of a text, by its own guess of the format. */
const csl = (text: string) => new Cite(text).data;

describe('a citation of a file', () => {
  test('as text has author, year, title, time of the data and address', () => {
    expect(formatText(mints)).toBe(
      'Cathedral Data Service (2026). MIC minting history [data set]. CSV file. State of the ledger at 2026-01-04T18:02:11Z. CC BY 4.0. Permanent address: https://data.example.org/snapshots/2026-01-05T00Z/economy/mic-history.csv (newest version: https://data.example.org/economy/mic-history.csv)',
    );
  });

  test('without a time of its own names the bytes, and the year of the release', () => {
    const standards = citations.find(({ url }) => url.endsWith('/diplomacy/standards.json'))!;
    expect(formatText(standards)).toContain(
      `(2026). International standards [data set]. JSON file. SHA-256 ${HASH}. CC BY 4.0. Permanent address: https://data.example.org/diplomacy/standards.json?sha256=${HASH} (newest`,
    );
    expect(formatRis([standards])).not.toContain('DA  - ');
    expect(toCsl(standards).issued).toEqual({ 'date-parts': [[2026]] });
  });

  test('never tells the hash of a restricted file', () => {
    const restricted = citations.find(({ url }) => url.endsWith('/government/policy-impact.json'))!;
    expect(formatText(restricted)).not.toContain(HASH);
    expect(restricted.permanent).toBeNull();
  });

  test('as BibTeX is read by an independent library', () => {
    for (const citation of citations.slice(0, 3)) {
      const [entry] = csl(formatBibtexEntry(citation));
      expect(entry).toMatchObject({ id: citation.key, title: citation.title, URL: citation.url });
      expect(entry!.author).toEqual([{ family: author }]);
      expect(entry!.issued).toEqual({ 'date-parts': [[2026]] });
    }
  });

  test('as RIS is read by an independent library, whole organisation and all', () => {
    const found = csl(formatRis(citations));
    expect(found).toHaveLength(citations.length);
    for (const [index, { title, url }] of citations.entries()) {
      expect(found[index]).toMatchObject({ type: 'dataset', title, URL: url });
      expect(found[index]!.author![0]).toMatchObject({ family: author });
      expect(found[index]!.issued!['date-parts'][0]!.slice(0, 1)).toEqual([2026]);
    }
  });

  test('as RIS keeps an organisation whole whose name has a comma', () => {
    const authors = [{ name: 'Council of Northby, Data Office', isOrganisation: true }];
    const [found] = csl(formatRis([{ ...mints, authors }]));
    expect(found!.author).toEqual([{ family: 'Council of Northby Data Office', given: '' }]);
  });

  test('as CSL-JSON is accepted unchanged, and formatted by a style', () => {
    const found = csl(formatCslJson(citations));
    expect(found.map(({ id }) => id)).toEqual(citations.map(({ key }) => key));
    const set = new Cite([toCsl(mints)]).format('bibliography', { format: 'text', template: 'apa' });
    expect(set).toContain('Cathedral Data Service. (2026). MIC minting history [Dataset].');
    expect(set).toContain('https://data.example.org/economy/mic-history.csv');
  });

  test('as RIS ends each line as the format requires', () => {
    const text = formatRis([mints]);
    expect(text.startsWith('TY  - DATA\r\n')).toBe(true);
    expect(text.endsWith('ER  - \r\n\r\n')).toBe(true);
    for (const line of text.split('\r\n').filter(Boolean)) expect(line).toMatch(/^[A-Z][A-Z0-9] {2}- .*$/);
  });

  test('of a paper is a report, with persons and organisations as they are', () => {
    expect(toCsl(paper)).toMatchObject({
      type: 'report',
      author: [{ literal: 'Council of Example' }, { family: 'van der Berg', given: 'Ana' }],
      issued: { 'date-parts': [[2025]] },
    });
    const read = csl(formatRis([paper]))[0]!;
    expect(read).toMatchObject({ type: 'report', title: paper.title, URL: paper.url });
    expect(read.author).toMatchObject([
      { family: 'Council of Example' },
      { family: 'van der Berg', given: 'Ana' },
    ]);
    expect(formatBibtexEntry(paper)).toContain(
      '@misc{cathedral_paper_example,\n  author = {{Council of Example} and van der Berg, Ana}',
    );
    expect(formatText(paper)).toBe(
      'Council of Example and Ana van der Berg (2025). An example [paper]. Draft, not peer reviewed. It is one. https://data.example.org/academics/papers/example/',
    );
  });

  test.each(
    `Donald E. Knuth | Knuth | Donald E.
Ludwig van Beethoven | van Beethoven | Ludwig
{\\'E}. d'Alembert the Younger | d'Alembert the Younger | É.
Charles {de Gaulle} | de Gaulle | Charles
F. Phidias Phony-Baloney | Phony-Baloney | F. Phidias
Ortega y Gasset, José | Ortega y Gasset | José
family=de Goes, given=Hugo | de Goes | Hugo
José Mu\\~{n}oz | Muñoz | José
D.\\ E. Knuth | Knuth | D. E.
S\\o ren Kierkegaard | Kierkegaard | Søren
King, Jr., Martin Luther | King | Martin Luther | Jr.`
      .split('\n')
      .map((line) => line.split(' | ')),
  )('of a person, %s, has the parts of the name that BibTeX has', (latex, family, given, suffix) => {
    const cited = { ...paper, authors: readAuthors(latex!)! };
    const parts = { family, given, ...(suffix !== undefined && { suffix }) };
    expect(toCsl(cited).author).toEqual([parts]);
    expect(formatRis([cited])).toContain(`AU  - ${[family, given, suffix].filter(Boolean).join(', ')}\r\n`);
    expect(formatText(cited)).toContain(`${given} ${family}${suffix ? `, ${suffix}` : ''} (2025)`);
    const [read] = csl(formatBibtexEntry(cited));
    const { 'non-dropping-particle': particle, ...rest } = read!.author![0]!;
    expect({ ...rest, family: [particle, rest.family].filter(Boolean).join(' ') }).toMatchObject(parts);
  });

  test('of a person with a name of one part is that name', () => {
    expect(toCsl({ ...paper, authors: readAuthors("Pel{\\'e} and bell hooks")! }).author).toEqual([
      { literal: 'Pelé' },
      { literal: 'bell hooks' },
    ]);
  });

  test.each(citationTexts(mints).map((one) => [one.name, one] as const))(
    'as a page shows it as %s names the file and its permanent address, and ends with its last character',
    (_, { ending, text }) => {
      expect(text).not.toMatch(/[\r\n]$/);
      expect(text).toContain(mints.url);
      expect(text).toContain('https://data.example.org/snapshots/2026-01-05T00Z/economy/mic-history.csv');
      if (ending === 'bib') expect(text).toContain('@misc{');
      if (ending !== 'txt') expect(csl(text)).toMatchObject([{ URL: mints.url }]);
    },
  );

  test('is left out in the one format that cannot write it: LaTeX has no control characters', () => {
    const texts = citationTexts({ ...mints, title: 'A\u0007b' });
    expect(texts.map(({ name }) => name)).toEqual(['Text', 'RIS', 'CSL-JSON']);
  });
});

describe('the lists of citations', () => {
  const all = citeAll(cited, papers, ARTIFACTS);

  test('have the service, the papers and the files, under the same keys in each format', () => {
    const keys = all.map(({ key }) => key);
    expect(keys).toEqual([
      'cathedral_data_service',
      ...papers.map(({ key }) => key),
      ...citations.map(({ key }) => key),
    ]);
    expect([...formatBibtex('x', all, 'x').matchAll(/^@\w+\{(\w+),$/gm)].map(([, key]) => key)).toEqual(keys);
    expect([...formatRis(all).matchAll(/^ID {2}- (\w+)\r$/gm)].map(([, key]) => key)).toEqual(keys);
    expect(JSON.parse(formatCslJson(all)).map(({ id }: { id: string }) => id)).toEqual(keys);
  });
});
