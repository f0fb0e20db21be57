import { afterAll, expect, test } from 'vitest';
import { rowsOf } from '../../rows-of.ts';
import { edit, faultOf, openCopies } from './damaged-copy.ts';

const copies = openCopies();
afterAll(() => copies.remove());

// biome-ignore lint/suspicious/noExplicitAny: the edits break the document's type on purpose
type Document = any;

/** Sets the member at a place; without a value, takes out the item of a list that has it. */
function change(document: Document, place: string, value: string): void {
  const names = place.split(/[.[\]]+/).filter(Boolean);
  const within = (depth: number) => names.slice(0, depth).reduce((at, name) => at[name], document);
  if (value === '') within(-2).splice(Number(names.at(-2)), 1);
  else within(-1)[names.at(-1)!] = value;
}

const rows = rowsOf<[string, string, string, string, string, string]>(`
a gap in the articles | treaty-framework | articles[1].number |  | 2, counted from 1 without a gap | 3
two terms of the same name | treaty-framework | definitions[1].term | ledger | a value that no other item of the list has | "ledger"
an article that does not exist | treaty-framework | obligations[0].source | Article 99 | an article or paragraph of the treaty framework | Article 99, which does not exist
a paragraph that does not exist | treaty-framework | articles[0].paragraphs[0].text | See Article 1(9). | an article or paragraph of the treaty framework | Article 1(9), which does not exist
a protocol that does not exist | treaty-framework | withdrawal.protocol | DP-77 | a protocol | DP-77, which does not exist
a class of party that does not exist | treaty-framework | obligations[0].who[1] | nobody | the id of a class of party | nobody, which does not exist
a range of articles that ends beyond the last | standards | summary | It follows Articles 3 and 32 to 34. | an article or paragraph of the treaty framework | Article 34, which does not exist
a clause without its keyword | standards | standards[0].clauses[0].text | It is nice. | a text with the one keyword MUST | "It is nice."
a clause with the opposite keyword | standards | standards[0].clauses[0].text | It MUST NOT. | a text with the one keyword MUST | "It MUST NOT."
a clause of another standard | standards | standards[1].clauses[0].id | CDS-01.9 | CDS-02.1 | "CDS-01.9"
a work that is not in the list | standards | standards[0].references[5] | RFC 1 | a work in the list of references | RFC 1, which does not exist
a work that the standard does not list | standards | standards[0].clauses[0].text | It MUST be [RFC 9110]. | a work that the standard lists in its references | [RFC 9110]
a standard that does not exist | protocols | protocols[0].standards[3] | CDS-99 | a standard or clause | CDS-99, which does not exist
an actor that does not exist | protocols | protocols[2].steps[1].actor | nobody | the id of an actor | "nobody"`);

test.each(rows)('readDocuments refuses JSON with %s', async (_, name, place, value, expected, found) => {
  const [dir, file] = [copies.next(), `${name}.json`];
  edit(dir, file, (text) => {
    const document: Document = JSON.parse(text);
    change(document, place, value);
    return `${JSON.stringify(document, null, 2)}\n`;
  });
  const fault = { code: 'document_invalid', place: `data/documents/${file}: ${place}` };
  expect(await faultOf(dir)).toMatchObject({ ...fault, expected, found });
});
