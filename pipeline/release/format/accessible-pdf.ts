import { deflateSync, inflateSync } from 'node:zlib';
import { CathedralError } from '../../errors.ts';
import { escapeXml } from '../../words/xml.ts';

/** Structure types that Chromium writes and PDF 1.7 does not have, with the standard ones that they stand for. */
const ROLES: readonly [own: string, standard: string][] = [
  ['Strong', 'Span'],
  ['Em', 'Span'],
];

/** Not one with a stream, which has `endstream` there. */
const OBJECT = /(?:^|\n)(\d+) 0 obj\n(<<(?:(?!\nendobj).)*>>)\nendobj/gs;
const TRAILER = /trailer\n<<\/Size (\d+)\n\/Root (\d+) 0 R\n\/Info (\d+) 0 R>>\nstartxref\n(\d+)\n%%EOF\n$/;

/** A PDF as text, one character a byte, with dictionaries by object number. Objects with streams are not among them. */
interface Objects {
  text: string;
  byNumber: Map<number, string>;
  size: number;
  root: number;
  info: number;
  /** Byte offset of the cross-reference table. */
  table: number;
}

/**
 * Adds to a tagged PDF of Chromium what PDF/UA-1 (ISO 14289-1) asks for besides: XMP metadata with the title and the identification, a
 * description of each link, bodies of list items, and standard types for its own. It appends an incremental update (ISO 32000-1,
 * 7.5.6), so what Chromium wrote stays as it is.
 *
 * @param pdf one character a byte
 * @param asOf ISO 8601
 */
export function asAccessible(
  pdf: string,
  { asOf, author, place }: { asOf: string; author: string; place: string },
): string {
  const update = new Update(parse(pdf, place));
  const { byNumber, root, info } = update.objects;
  for (const [number, object] of byNumber) {
    if (/^<<\/Type \/Page\n/.test(object)) markArtifacts(update, object);
    if (/^<<\/Type \/Annot\n\/Subtype \/Link\n/.test(object))
      update.set(number, withMember(object, `/Contents ${linkWords(object)}`));
    if (/^<<\/Type \/StructTreeRoot\n/.test(object))
      update.set(
        number,
        withMember(
          object,
          `/RoleMap <<${ROLES.map(([own, standard]) => `/${own} /${standard}`).join(' ')}>>`,
        ),
      );
  }
  for (const [number, object] of byNumber)
    if (/^<<\/Type \/StructElem\n\/S \/LI\n/.test(object)) giveBody(update, number);
  const catalog = byNumber.get(root)!;
  const title = titleOf(byNumber.get(info) ?? '');
  const xmp = metadata({ title, language: languageOf(catalog), asOf, author });
  const stream = update.add(
    `<</Type /Metadata\n/Subtype /XML\n/Length ${xmp.length}>> stream\n${xmp}\nendstream`,
  );
  update.set(root, withMember(catalog, `/Metadata ${stream} 0 R`));
  return update.text();
}

/** Lines of a page’s content that begin or end marked content, texts, and painted paths. A clipping path is not painted. */
const MARKED_OR_SHOWN =
  /^(?:.*B[DM]C|EMC|BT\n[\s\S]*?\nET|(?:(?:[-\d. ]+ (?:re|[mlcvy])|h)\n)+(?:[fBb]\*?|[FSs]))$/gm;

/** Chromium leaves what stands in the margins of a page, such as its number, without a mark. It is an artifact of the layout. */
function markArtifacts(update: Update, page: string): void {
  const [, contents] = /\n\/Contents (\d+) 0 R/.exec(page) ?? [];
  if (contents === undefined) return;
  const before = contentOf(update.objects.text, Number(contents));
  let depth = 0;
  const after = before.replaceAll(MARKED_OR_SHOWN, (part) => {
    if (part === 'EMC') depth -= 1;
    else if (/B[DM]C$/.test(part)) depth += 1;
    else if (depth === 0) return `/Artifact <</Type /Pagination>> BDC\n${part}\nEMC`;
    return part;
  });
  if (after === before) return;
  const packed = deflateSync(Buffer.from(after, 'latin1')).toString('latin1');
  update.set(
    Number(contents),
    `<</Filter /FlateDecode\n/Length ${packed.length}>> stream\n${packed}\nendstream`,
  );
}

/** The content of a page, which Chromium always compresses. */
function contentOf(text: string, number: number): string {
  const [head = '', length] =
    new RegExp(`\n${number} 0 obj\n<</Filter /FlateDecode\n/Length (\\d+)>> stream\n`).exec(text) ?? [];
  const start = text.indexOf(head) + head.length;
  return inflateSync(Buffer.from(text.slice(start, start + Number(length)), 'latin1')).toString('latin1');
}

/** Puts what an item of a list holds besides its label into a body. The line above an item is marked content of the item itself. */
function giveBody(update: Update, number: number): void {
  const item = update.get(number);
  const [whole = '', list = ''] = /\n\/K (\[[^\]]*\]|\d+ 0 R)/.exec(item) ?? [];
  const elements = [...list.matchAll(/(\d+) 0 R/g)].map(([, kid]) => Number(kid));
  const isLabel = (kid: number) => /\/S \/(Lbl|LBody)\n/.test(update.get(kid));
  const held = elements.filter((kid) => !isLabel(kid));
  if (held.length === 0) return;
  const references = (kids: readonly number[]) => kids.map((kid) => `${kid} 0 R`).join(' ');
  const body = update.add(`<</Type /StructElem\n/S /LBody\n/P ${number} 0 R\n/K [${references(held)}]>>`);
  const marked = list.replaceAll(/\d+ 0 R|[[\]]/g, '').trim();
  const kids = `${marked} ${references(elements.filter(isLabel))} ${body} 0 R`.replaceAll(/ +/g, ' ').trim();
  update.set(number, item.replace(whole, `\n/K [${kids}]`));
  for (const kid of held) update.set(kid, update.get(kid).replace(`\n/P ${number} 0 R`, `\n/P ${body} 0 R`));
}

/** An incremental update: new and changed objects, their cross-reference table, and a trailer that leads to the table before. */
class Update {
  readonly objects: Objects;
  readonly #changed = new Map<number, string>();
  #size: number;

  constructor(objects: Objects) {
    this.objects = objects;
    this.#size = objects.size;
  }

  get(number: number): string {
    return this.#changed.get(number) ?? this.objects.byNumber.get(number) ?? '';
  }

  set(number: number, object: string): void {
    this.#changed.set(number, object);
  }

  add(object: string): number {
    this.#changed.set(this.#size, object);
    return this.#size++;
  }

  text(): string {
    const { text, root, info, table } = this.objects;
    let whole = text;
    const entries = [...this.#changed]
      .sort(([a], [b]) => a - b)
      .map(([number, object]) => {
        const offset = String(whole.length).padStart(10, '0');
        whole += `${number} 0 obj\n${object}\nendobj\n`;
        return `${number} 1\n${offset} 00000 n \n`;
      });
    return `${whole}xref\n${entries.join('')}trailer\n<</Size ${this.#size}\n/Root ${root} 0 R\n/Info ${info} 0 R\n/Prev ${table}>>\nstartxref\n${whole.length}\n%%EOF\n`;
  }
}

function parse(text: string, place: string): Objects {
  const [, size, root, info, table] = TRAILER.exec(text) ?? [];
  const byNumber = new Map([...text.matchAll(OBJECT)].map(([, number, object]) => [Number(number), object!]));
  const catalog = byNumber.get(Number(root)) ?? '';
  if (table === undefined || !/\/MarkInfo /.test(catalog) || !/\/StructTreeRoot /.test(catalog)) {
    const expected = 'a tagged PDF with a cross-reference table, as the tested versions of Chromium write it';
    throw new CathedralError('site_failed', { place, expected, found: text.slice(-80) });
  }
  return { text, byNumber, size: Number(size), root: Number(root), info: Number(info), table: Number(table) };
}

function withMember(dictionary: string, member: string): string {
  return dictionary.replace(/>>$/, `\n${member}>>`);
}

/** A link's description says where it leads; its words are in the text. */
function linkWords(annotation: string): string {
  const [, address] = /\/URI \(((?:[^()\\]|\\.)*)\)/.exec(annotation) ?? [];
  return address === undefined ? '(Link within this document)' : `(Link to ${address})`;
}

function languageOf(catalog: string): string {
  return /\/Lang \(([^)]*)\)/.exec(catalog)?.[1] ?? 'en';
}

/** A text string is UTF-16 with a byte order mark, in hex, or PDFDocEncoding, of which only ASCII is expected. */
function titleOf(info: string): string {
  const [, hex] = /\/Title <FEFF([0-9A-Fa-f]*)>/.exec(info) ?? [];
  if (hex !== undefined)
    return String.fromCharCode(...(hex.match(/.{4}/g) ?? []).map((unit) => Number.parseInt(unit, 16)));
  return /\/Title \(((?:[^()\\]|\\.)*)\)/.exec(info)?.[1]?.replaceAll(/\\(.)/g, '$1') ?? '';
}

/** XMP as bytes of UTF-8, one character each. */
function metadata({
  title,
  language,
  asOf,
  author,
}: Record<'title' | 'language' | 'asOf' | 'author', string>): string {
  const time = new Date(asOf).toISOString();
  const packet = `<?xpacket begin="\u{feff}" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/">
<pdfuaid:part>1</pdfuaid:part>
<dc:format>application/pdf</dc:format>
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">${escapeXml(title)}</rdf:li></rdf:Alt></dc:title>
<dc:creator><rdf:Seq><rdf:li>${escapeXml(author)}</rdf:li></rdf:Seq></dc:creator>
<dc:language><rdf:Bag><rdf:li>${escapeXml(language)}</rdf:li></rdf:Bag></dc:language>
<dc:rights><rdf:Alt><rdf:li xml:lang="x-default">CC BY 4.0</rdf:li></rdf:Alt></dc:rights>
<xmp:CreatorTool>${escapeXml(author)}</xmp:CreatorTool>
<xmp:CreateDate>${time}</xmp:CreateDate>
<xmp:ModifyDate>${time}</xmp:ModifyDate>
</rdf:Description>
</rdf:RDF>
</x:xmpmeta>
<?xpacket end="r"?>`;
  return Buffer.from(packet, 'utf8').toString('latin1');
}
