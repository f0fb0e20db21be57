import { inflateSync } from 'node:zlib';

/** Structure types of PDF 1.7 (ISO 32000-1, 14.8.4). */
const STANDARD = new Set(
  'Document Part Art Sect Div BlockQuote Caption TOC TOCI Index NonStruct Private P H H1 H2 H3 H4 H5 H6 L LI Lbl LBody Table TR TH TD THead TBody TFoot Span Quote Note Reference BibEntry Code Link Annot Ruby RB RT RP Warichu WT WP Figure Formula Form'.split(
    ' ',
  ),
);
/** What may stand directly in what (ISO 32000-1, tables 336 and 337). */
const CHILDREN: Readonly<Record<string, readonly string[]>> = {
  L: ['L', 'LI', 'Caption'],
  LI: ['Lbl', 'LBody'],
  Table: ['TR', 'THead', 'TBody', 'TFoot', 'Caption'],
  TR: ['TH', 'TD'],
};
const PARENTS: Readonly<Record<string, readonly string[]>> = {
  LI: ['L'],
  LBody: ['LI'],
  TR: ['Table', 'THead', 'TBody', 'TFoot'],
  TH: ['TR'],
  TD: ['TR'],
};

/**
 * The failure conditions of the Matterhorn Protocol 1.1 that a program can find, of those that apply to a PDF of Chromium: each with
 * its number and what was found. Empty if the PDF has none of them.
 */
export function matterhornFaults(pdf: Uint8Array): string[] {
  const text = Buffer.from(pdf).toString('latin1');
  const objects = new Map<number, string>();
  // An incremental update stands later and replaces what was before.
  for (const [, number, body] of text.matchAll(/(?:^|\n)(\d+) 0 obj\n(.*?)\nendobj/gs))
    objects.set(Number(number), body!);
  const at = (reference: string | undefined) => objects.get(Number(reference)) ?? '';
  const faults: string[] = [];
  const need = (found: boolean, point: string, words: string) => found || faults.push(`${point} ${words}`);

  const roots = [...text.matchAll(/trailer\n<<.*?\/Root (\d+) 0 R/gs)];
  const catalog = at(roots.at(-1)?.[1]);
  const xmp = Buffer.from(at(/\/Metadata (\d+) 0 R/.exec(catalog)?.[1]), 'latin1').toString('utf8');
  need(/\/Type \/Metadata\n\/Subtype \/XML/.test(xmp), '06-001', 'no XMP metadata');
  need(/<pdfuaid:part>1<\/pdfuaid:part>/.test(xmp), '06-002', 'no PDF/UA identifier');
  need(/<dc:title><rdf:Alt><rdf:li xml:lang="x-default">[^<]+</.test(xmp), '06-003', 'no dc:title');
  need(/\/DisplayDocTitle true/.test(catalog), '07-001', 'the title is not displayed');
  need(/\/MarkInfo <<[^>]*\/Marked true/.test(catalog), '01-007', 'not marked');
  need(/\/Lang \([a-zA-Z-]{2,}\)/.test(catalog), '11-006', 'no language');
  need(!/\/Encrypt /.test(text), '26-001', 'encrypted');
  const [, size] = /\/Type \/Metadata[^>]*\/Length (\d+)/.exec(xmp) ?? [];
  const stream = /stream\n(.*)\nendstream$/s.exec(at(/\/Metadata (\d+) 0 R/.exec(catalog)?.[1]))?.[1] ?? '';
  need(Number(size) === stream.length, '06-001', `XMP of ${size} bytes, found ${stream.length}`);

  const tree = at(/\/StructTreeRoot (\d+) 0 R/.exec(catalog)?.[1]);
  const roles = new Map([...tree.matchAll(/\/(\w+) \/(\w+)/g)].map(([, own, standard]) => [own!, standard!]));
  const elements = new Map(
    [...objects].flatMap(([number, body]) => {
      const [, own] = /^<<\/Type \/StructElem\n\/S \/(\w+)/.exec(body) ?? [];
      return own === undefined
        ? []
        : [[number, { body, type: STANDARD.has(own) ? own : (roles.get(own) ?? own) }]];
    }),
  );
  /** Grouping elements without meaning are looked through. */
  const parentOf = (body: string): string => {
    const parent = elements.get(Number(/\/P (\d+) 0 R/.exec(body)?.[1]));
    return parent?.type === 'NonStruct' ? parentOf(parent.body) : (parent?.type ?? '');
  };
  let level = 0;
  need(elements.size > 0, '01-006', 'no structure');
  for (const [number, { body, type }] of elements) {
    need(STANDARD.has(type), '02-001', `${type} is no standard type`);
    if (type === 'NonStruct') continue;
    const parent = parentOf(body);
    need(PARENTS[type]?.includes(parent) ?? true, '09-005', `${type} in ${parent}`);
    need(CHILDREN[parent]?.includes(type) ?? true, '09-006', `${type} in ${parent}`);
    if (type === 'Figure') need(/\/Alt (\(.|<FEFF.)/.test(body), '13-004', `figure ${number} without a text`);
    if (type === 'TH')
      need(/\/Scope \/(Column|Row|Both)/.test(body), '15-003', `header ${number} without a scope`);
    const [, heading] = /^H([1-6])$/.exec(type) ?? [];
    if (heading === undefined) continue;
    need(Number(heading) <= level + 1, '14-003', `H${heading} after H${level}`);
    level = Number(heading);
  }
  for (const [number, body] of objects) {
    const annotations = /\/Annots \[/.test(body) && /^<<\/Type \/Page\n/.test(body);
    if (annotations) need(/\/Tabs \/S\b/.test(body), '28-008', `page ${number} without an order of tabs`);
    if (/^<<\/Type \/Annot\n\/Subtype \/Link\n/.test(body)) {
      need(/\/Contents \(.+\)/.test(body), '28-012', `link ${number} without a description`);
      const isIn = [...elements.values()].some(
        ({ body: element, type }) => type === 'Link' && new RegExp(`/Obj ${number} 0 R`).test(element),
      );
      need(isIn, '28-011', `link ${number} outside a Link element`);
    }
    if (/^<<\/Type \/FontDescriptor\n/.test(body))
      need(/\/FontFile[23]? \d+ 0 R/.test(body), '31-009', `font ${number} not embedded`);
    if (/\/Type \/Font\n\/Subtype \/Type0/.test(body))
      need(/\/ToUnicode \d+ 0 R/.test(body), '31-027', `font ${number} without Unicode`);
    if (/^<<\/Type \/Page\n/.test(body))
      for (const [, reference] of body.matchAll(/\/Contents (\d+) 0 R/g)) {
        const found = untagged(contentOf(at(reference)));
        need(found === null, '01-005', `${found} outside marked content, page ${number}`);
      }
  }
  return faults;
}

function contentOf(object: string): string {
  const data = /> stream\n(.*)\nendstream$/s.exec(object)?.[1] ?? '';
  return inflateSync(Buffer.from(data, 'latin1')).toString('latin1');
}

/** The first operator that shows something outside marked content; null if there is none. */
function untagged(content: string): string | null {
  let depth = 0;
  // Strings and dictionaries hold no operators.
  const plain = content.replaceAll(/\((?:[^()\\]|\\.)*\)|<[0-9A-Fa-f\s]*>/gs, ' 0 ');
  for (const [operator] of plain.matchAll(
    /(?<![\w/])(?:BDC|BMC|EMC|Tj|TJ|f\*?|F|B\*?|b\*?|S|s|Do|sh)(?!\w)/g,
  )) {
    if (operator === 'BDC' || operator === 'BMC') depth += 1;
    else if (operator === 'EMC') depth -= 1;
    else if (depth === 0) return operator;
  }
  return null;
}
