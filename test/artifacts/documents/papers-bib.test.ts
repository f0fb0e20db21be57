import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import bibtexParse from 'bibtex-parse';
import { afterAll, describe, expect, test } from 'vitest';
import { citations as database } from '../../../pipeline/artifacts/academics/citations.ts';
import { papers as index } from '../../../pipeline/artifacts/academics/papers.ts';
import { readDocuments } from '../../../pipeline/artifacts/documents.ts';
import { parseLatex } from '../../../pipeline/artifacts/format/latex-text.ts';
import { emptyState } from '../../../pipeline/model/empty-state.ts';
import { DEMO_COMPANIONS } from '../../attestation/demo-companions.ts';
import { rowsOf } from '../../rows-of.ts';
import { edit, faultOf, openCopies } from './damaged-copy.ts';

const copies = openCopies();
afterAll(() => copies.remove());

const REST =
  'author={A, B}, title={T}, year={2026}, pubstate={published}, journal={J}, abstract={x}, url={https://e.org}';
const without = (field: string) =>
  REST.replace(new RegExp(`${field}=\\{[^}]*\\}(, )?`), '').replace(/, $/, '');

/** The service's documents with another bibliography, and these texts in place of its papers. */
function folderOf(bibliography: string | Buffer, texts: Record<string, string> = {}): string {
  const dir = copies.next();
  rmSync(join(dir, 'papers'), { recursive: true });
  mkdirSync(join(dir, 'papers'));
  writeFileSync(join(dir, 'papers.bib'), bibliography);
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(dir, 'papers', name), text);
  return dir;
}

/** What is published of a bibliography: the index, and the entries of the citation database by their keys. */
async function published(bibliography: string, texts: Record<string, string> = {}) {
  const documents = await readDocuments(folderOf(bibliography, texts));
  const state = { ...emptyState(), asOf: '2026-11-21T04:00:00Z', cycle: 'C-506' };
  const view = { documents, companions: DEMO_COMPANIONS, state, baseUrl: 'https://data.example.org' };
  const bib = bibtexParse.parse(database(() => []).render(view), { number: 'string' });
  const entries = bib.flatMap((item) => {
    if (item.itemtype !== 'entry') return [];
    return [[item.key, Object.fromEntries(item.fields.map(({ name, value }) => [name, value]))] as const];
  });
  const citations: Record<string, Record<string, unknown>> = Object.fromEntries(entries);
  return { papers: JSON.parse(index.render(view)).papers, citations };
}

describe('a bibliography', () => {
  test('as people and programs write it gives index and citations', async () => {
    const { papers, citations } = await published(
      String.raw`% Encoding: UTF-8
@Comment{jabref-meta: databaseType:bibtex;}
@comment{ @article{hidden, title={not published}} }
@preamble{ "\newcommand{\noopsort}[1]{} " }
@string{jme = {Journal of Monetary Economics}}
@STRING(acm = "Association for " # "Computing Machinery")

@Article{Mueller2020,
  author    = {M{\"u}ller, J\"org and {\'E}tienne Dupr\'e and Nu{\~n}ez, Jr., Mar{\'\i}a and {World Health Organization} and others},
  title     = "{The {MIC} at 5\% \& more: an \emph{index} of CO\textsubscript{2} --- $\alpha$-stable, $10^{-6}$, from $5 to $6}",
  journal   = jme,
  year      = 2020,
  month     = jan # "~1",
  pubstate  = {published},
  doi       = {10.1000/abc_(1)},
  file      = {:C\:/Users/x/file.pdf:PDF},
  keywords  = {a, undefined},
  abstract  = {First line
    second ` +
        '``quoted'.concat(String.raw`'' line with \v{S}koda, \L{}\'od\'z, \c{c}, \ss, \o, \AA{} and $\mathcal{O}(n)$.

    Second paragraph \ldots},
}
@inproceedings(DBLP:conf/x/Smith21,
  author = "Anna Smith AND Bob {van der Berg}",
  title = {Two venues}, subtitle = {A subtitle},
  booktitle = {Proceedings of X; Workshop Y{;} Z},
  date = {2021-05/2021-06},
  pubstate = {inpress},
  url = {\url{https://example.org/a\_b?x=1\&y=%20}},
  abstract = {日本語 and Ελλάς.}
)
@phdthesis{日本2019, author={family=Goes, given=Hugo, prefix=van der}, title={論文}, school={東京大学}, year={2019}, pubstate={Under review}, abstract={要旨}, url={https://example.org/日本}}
@techreport{tr-1, author={{Barnes and Noble} and {Knuth}, D.}, title={Title}, institution={Inst {\&} Co}, year={2022}, pubstate={in preparation}, abstract={x}, url={http://example.org}}
@online{on-1, editor={Ed Itor}, title={Online}, organization=acm, date={2022-05-01}, pubstate={draft}, abstract={x}, url={https://example.org/~{}x}}
@misc{mi.sc+1, author={A. B. C}, title={Misc}, howpublished={arXiv}, year="2023", pubstate={preprint}, abstract={x}, url={https://example.org}}
`),
    );
    expect(papers).toEqual([
      {
        id: 'Mueller2020',
        title: 'The MIC at 5% & more: an index of CO₂ — α-stable, 10⁻⁶, from $5 to $6',
        status: 'published',
        venues: ['Journal of Monetary Economics'],
        key_result:
          'First line second “quoted” line with Škoda, Łódź, ç, ß, ø, Å and $\\mathcal{O}(n)$. Second paragraph …',
        path: 'https://doi.org/10.1000/abc_(1)',
      },
      {
        id: 'DBLP:conf/x/Smith21',
        title: 'Two venues: A subtitle',
        status: 'forthcoming',
        venues: ['Proceedings of X', 'Workshop Y; Z'],
        key_result: '日本語 and Ελλάς.',
        path: 'https://example.org/a_b?x=1&y=%20',
      },
      expect.objectContaining({
        id: '日本2019',
        status: 'submitted',
        venues: ['東京大学'],
        path: 'https://example.org/%E6%97%A5%E6%9C%AC',
      }),
      expect.objectContaining({
        status: 'in_preparation',
        venues: ['Inst & Co'],
        path: 'http://example.org',
      }),
      expect.objectContaining({
        venues: ['Association for Computing Machinery'],
        path: 'https://example.org/~x',
      }),
      expect.objectContaining({ status: 'working_paper', venues: ['arXiv'] }),
    ]);
    const { cathedral_data_service: _, ...ofPapers } = citations;
    const authors = Object.values(ofPapers).map(({ author, year }) => [author, year]);
    expect(authors).toEqual([
      [
        String.raw`M{\"{u}}ller, J{\"{o}}rg and Dupr{\'{e}}, {\'{E}}tienne and Nu{\~{n}}ez, Jr., Mar{\'{i}}a and {World Health Organization} and others`,
        '2020',
      ],
      ['Smith, Anna and van der Berg, Bob', '2021'],
      ['van der Goes, Hugo', '2019'],
      ['{Barnes and Noble} and Knuth, D.', '2022'],
      ['Itor, Ed', '2022'],
      ['C, A. B.', '2023'],
    ]);
    expect(citations.cathedral_paper_mueller2020).toMatchObject({
      url: 'https://doi.org/10.1000/abc_(1)',
      note: expect.stringMatching(/^Published paper\. First line/),
    });
  });

  test('may leave the text to papers/<key>.md, which is then what the index names', async () => {
    const entry = `@misc{Ça-va_2026, ${without('url').replace('{T}', '{Na{\\"\\i}ve}')}}`;
    // As a file system that decomposes names has it.
    const { papers, citations } = await published(entry, {
      ['Ça-va_2026.md'.normalize('NFD')]: '# Naïve\n\nText.\n',
    });
    const page = /^\/academics\/papers\/a-va-2026-[0-9a-f]{10}\/$/;
    expect(papers).toEqual([
      expect.objectContaining({ id: 'Ça-va_2026', path: expect.stringMatching(page) }),
    ]);
    const [, cited] = Object.values(citations);
    expect(cited!.url).toBe(`https://data.example.org${papers[0].path}`);
  });

  test('as in the documentation is one', async () => {
    const page = readFileSync(new URL('../../../docs/ledger.md', import.meta.url), 'utf8');
    const [bibliography, text] = ['bibtex', 'markdown'].map((name) => {
      return new RegExp(`\`\`\`${name}\\n([\\s\\S]*?)\`\`\``).exec(page)![1]!;
    });
    const { papers } = await published(bibliography!, { 'drift-windows.md': text! });
    expect(papers).toEqual([
      expect.objectContaining({
        path: 'https://doi.org/10.1234/example',
        venues: ['Journal of Monetary Economics'],
      }),
      expect.objectContaining({ path: '/academics/papers/drift-windows/', status: 'in_preparation' }),
    ]);
  });

  test('of a thousand entries without what is needed names the first, and many of the others', async () => {
    const entries = Array.from({ length: 1000 }, (_, at) => `@misc{key${at}, ${without('abstract')}}\n`);
    expect(await faultOf(folderOf(entries.join('\n')))).toMatchObject({
      place: 'data/documents/papers.bib:1: key0.abstract',
      expected: 'abstract = {…}, from which its key result is taken',
      found: expect.stringMatching(/^nothing; faults also at 3: key1\.abstract, .* and 979 more$/),
    });
  });

  test.each([
    ['', []],
    ['% Nothing yet\n', []],
    ['@comment{@misc{x, title={y}}}\n', []],
  ])('%j has no entries, and that is all right', async (text, expected) => {
    expect((await published(text)).papers).toEqual(expected);
  });
});

describe('a bibliography is refused by name', () => {
  /** `<rest>` is all fields, `<-year>` all but the year. */
  const written = (text: string) =>
    text
      .replaceAll(/<-(\w+)>/g, (_, field) => without(field))
      .replaceAll('<rest>', REST)
      .replace('<é>', 'e\u0301')
      .replace('<{{{}}}>', '{'.repeat(20_000) + '}'.repeat(20_000));
  const rows = rowsOf<
    [string, string, string, string, string]
  >(String.raw`no author | @misc{k, <-author>} | 1: k.author | author = { | nothing
an empty author | @misc{k, author={ }, <-author>} | 1: k.author | author = { | " "
authors with semicolons | @misc{k, author={A, B; C, D}, <-author>} | 1: k.author | and Last, First} | A, B; C, D
no title | ¶@misc{k, <-title>} | 2: k.title | title = { | nothing
no year | @misc{k, <-year>} | 1: k.year | year = {2026}, or date | nothing
a year in words | @misc{k, year={to appear}, <-year>} | 1: k.year | year = { | "to appear"
no status | @misc{k, <-pubstate>} | 1: k.pubstate | pubstate = {…} with inprep | nothing
another status | @misc{k, pubstate={soon}, <-pubstate>} | 1: k.pubstate | pubstate | "soon"
no venue | @misc{k, <-journal>} | 1: k.journal | journal = {…} or booktitle | neither
no key result | @misc{k, <-abstract>} | 1: k.abstract | abstract = { | nothing
no text | @misc{k, <-url>} | 1: k.url | or its text in papers/k.md | neither
an address of another kind | @misc{k, url={ftp://e.org}, <-url>} | 1: k.url | https:// | ftp
a script as address | @misc{k, url={javascript:x}, <-url>} | 1: k.url | https:// | javascript
a parent entry | @misc{k, crossref={b}, <rest>} | 1: k.crossref | every field in the entry | crossref
an abbreviation that is not defined | @misc{k, journal=aer, <-journal>} | 1: k.journal | @string | aer
a command that is not known | @misc{k, title={\foo{x}}, <-title>} | 1: k.title | write a character itself | \foo
a command with the name of a member of every object | @misc{k, title={\constructor{x}}, <-title>} | 1: k.title | write a character itself | \constructor
a field that is there twice | @misc{k, title={U}, <rest>} | 1: k.title | title once | two
a key that is there twice | @misc{k, <rest>}¶@book{k, <rest>} | 2: k | differs from k in line 1 | k
a key in other case | @misc{k, <rest>}¶@misc{K, <rest>} | 2: K | differs from k in line 1 | K
a key with other signs | @misc{a-b, <rest>}¶@misc{a_b, <rest>} | 2: a_b | differs from a-b | a_b
a key in another normal form | @misc{é, <rest>}¶@misc{<é>, <rest>} | 2: é | differs from é | é
no key | @misc{<rest>} | 1 | a key and a comma | @misc{author
a key with a blank | @misc{a b, <rest>} | 1 | a key and a comma | @misc{a b
a key with a percent sign | @misc{a%b, <rest>} | 1: a%b | a key of at most 100 | a%b
an entry that is not closed | ¶@misc{k, <rest>¶¶@misc{l, <rest>}} | 2 | braces and quotation marks | @misc{k
an entry that ends too late | @misc{k, note={x {y, <rest>¶¶@misc{l, <rest>}}}} | 1 | before the next entry | @misc{l, in the entry k
an entry that ends too early | @misc{k, <rest>}}, note={x}} | 1 | last brace ends it | }, note
an entry that a percent sign does not hide | ¶%@misc{k, <rest>} | 2 | @comment{…} | %
an entry with a blank in its beginning | ¶@ misc{k, <rest>} | 2 | an entry with its key | @ misc
an entry of two words | ¶@misc a{k, <rest>} | 2 | an entry with its key | @misc a
no comma between two fields | @misc{k, title={x} year=2020} | 1 | commas | @misc{k
a field without a value | @misc{k, note, <rest>} | 1 | a value for each field of k | "note"
another format | TY  - JOUR¶ER  - ¶ |  | BibTeX | TY  - JOUR
thousands of braces | @misc{k, title=<{{{}}}>} |  | BibTeX | nested`);
  test.each(rows)('for %s', async (_, bib, place, expected, found) => {
    const fault = await faultOf(folderOf(written(bib)));
    expect(fault).toMatchObject({
      code: 'document_invalid',
      place: `data/documents/papers.bib${place === '' ? '' : `:${place}`}`,
      expected: expect.stringContaining(expected),
    });
    expect(fault.found.replaceAll('"', '')).toContain(found.replaceAll('"', ''));
  });

  test('for bytes in another encoding, with their line', async () => {
    const text = Buffer.from(`@misc{k, ${REST}}\n\n@misc{l, note={café}, ${REST}}\n`, 'latin1');
    expect(await faultOf(folderOf(text))).toMatchObject({ place: 'data/documents/papers.bib:3' });
  });

  test('for a text whose entry was removed', async () => {
    const dir = copies.next();
    edit(dir, 'papers.bib', (text) => text.replace(/@unpublished\{drift-windows[\s\S]*?\n\}\n/, ''));
    expect(await faultOf(dir)).toMatchObject({
      place: 'data/documents/papers/drift-windows.md',
      expected: 'an entry with the key drift-windows in papers.bib',
    });
  });
});

test.each([
  [String.raw`\"{\i}\"\i\'e\'{e}\.z\=a\c c\k{a}\H{o}\r{a}\v{s}\d{s}\b{d}`, 'ïïééżāçąőåšṣḏ'],
  [String.raw`{\o}re \O{} \aa\ \ae{} {\L}{\l} \ss{} \i`, 'øre Ø å æ Łł ß ı'],
  ['a -- b --- c ~d \\, e\\-f \\textendash{} ?`x', 'a – b — c d ef – ¿x'],
  [String.raw`\textit{a \textbf{b}} {\em c} \href{https://e.org}{d} \enquote{e}`, 'a b c d “e”'],
  [
    String.raw`$x_1$ $x^2$ $a \leq b$ $\frac{a}{b}$ $5 and $6, \$7`,
    'x₁ x² a ≤ b $\\frac{a}{b}$ $5 and $6, $7',
  ],
  [String.raw`2$\times$3, 10$^{-2}$5, $-$1`, '2×3, 10⁻²5, −1'],
  ['p$<$0.05, $>$5, $=$1, $+$2', 'p<0.05, >5, =1, +2'],
  ['$5--$6', '$5–$6'],
  [String.raw`\%\&\_\#\{\} 100% a&b a_b #1 \~{} \^{}`, '%&_#{} 100% a&b a_b #1 ~ ^'],
  ['a\n\n  b\tc', 'a b c'],
])('the text of %j is %j', (latex, text) => {
  expect(parseLatex(latex)).toBe(text);
});
