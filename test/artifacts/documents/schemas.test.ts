import { afterAll, expect, test } from 'vitest';
import { edit, faultOf, openCopies } from './damaged-copy.ts';

const copies = openCopies();
afterAll(() => copies.remove());

// biome-ignore lint/suspicious/noExplicitAny: the edits break the document's type on purpose
type Edit = (document: any) => void;

function editJson(dir: string, file: string, change: Edit): void {
  edit(dir, file, (text) => {
    const document: unknown = JSON.parse(text);
    change(document);
    return `${JSON.stringify(document, null, 2)}\n`;
  });
}

const treaty = 'treaty-framework.json';

test.each<[string, string, Edit, string, string, string]>([
  [
    'a gap in the articles',
    treaty,
    (d) => d.articles.splice(1, 1),
    'articles[1].number',
    '2, counted from 1 without a gap',
    '3',
  ],
  [
    'two terms of the same name',
    treaty,
    (d) => Object.assign(d.definitions[1], { term: 'ledger' }),
    'definitions[1].term',
    'a value that no other item of the list has',
    '"ledger"',
  ],
  [
    'an article that does not exist',
    treaty,
    (d) => Object.assign(d.obligations[0], { source: 'Article 99' }),
    'obligations[0].source',
    'an article or paragraph of the treaty framework',
    'Article 99, which does not exist',
  ],
  [
    'a paragraph that does not exist',
    treaty,
    (d) => Object.assign(d.articles[0].paragraphs[0], { text: 'See Article 1(9).' }),
    'articles[0].paragraphs[0].text',
    'an article or paragraph of the treaty framework',
    'Article 1(9), which does not exist',
  ],
  [
    'a protocol that does not exist',
    treaty,
    (d) => Object.assign(d.withdrawal, { protocol: 'DP-77' }),
    'withdrawal.protocol',
    'a protocol',
    'DP-77, which does not exist',
  ],
  [
    'a class of party that does not exist',
    treaty,
    (d) => d.obligations[0].who.push('nobody'),
    'obligations[0].who[1]',
    'the id of a class of party',
    'nobody, which does not exist',
  ],
  [
    'a range of articles that ends beyond the last',
    'standards.json',
    (d) => Object.assign(d, { summary: 'It follows Articles 3 and 32 to 34.' }),
    'summary',
    'an article or paragraph of the treaty framework',
    'Article 34, which does not exist',
  ],
  [
    'a clause without its keyword',
    'standards.json',
    (d) => Object.assign(d.standards[0].clauses[0], { text: 'It is nice.' }),
    'standards[0].clauses[0].text',
    'a text with the one keyword MUST',
    '"It is nice."',
  ],
  [
    'a clause with the opposite keyword',
    'standards.json',
    (d) => Object.assign(d.standards[0].clauses[0], { text: 'It MUST NOT.' }),
    'standards[0].clauses[0].text',
    'a text with the one keyword MUST',
    '"It MUST NOT."',
  ],
  [
    'a clause of another standard',
    'standards.json',
    (d) => Object.assign(d.standards[1].clauses[0], { id: 'CDS-01.9' }),
    'standards[1].clauses[0].id',
    'CDS-02.1',
    '"CDS-01.9"',
  ],
  [
    'a work that is not in the list',
    'standards.json',
    (d) => d.standards[0].references.push('RFC 1'),
    'standards[0].references[5]',
    'a work in the list of references',
    'RFC 1, which does not exist',
  ],
  [
    'a work that the standard does not list',
    'standards.json',
    (d) => Object.assign(d.standards[0].clauses[0], { text: 'It MUST be [RFC 9110].' }),
    'standards[0].clauses[0].text',
    'a work that the standard lists in its references',
    '[RFC 9110]',
  ],
  [
    'a standard that does not exist',
    'protocols.json',
    (d) => d.protocols[0].standards.push('CDS-99'),
    'protocols[0].standards[3]',
    'a standard or clause',
    'CDS-99, which does not exist',
  ],
  [
    'an actor that does not exist',
    'protocols.json',
    (d) => Object.assign(d.protocols[2].steps[1], { actor: 'nobody' }),
    'protocols[2].steps[1].actor',
    'the id of an actor',
    '"nobody"',
  ],
])('readDocuments refuses JSON with %s', async (_, file, change, path, expected, found) => {
  const dir = copies.next();
  editJson(dir, file, change);
  expect(await faultOf(dir)).toMatchObject({
    code: 'document_invalid',
    place: `data/documents/${file}: ${path}`,
    expected,
    found,
  });
});
