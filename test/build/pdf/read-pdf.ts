import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';

interface Outline {
  title: string;
  items: Outline[];
}

/** The outline's titles, with the second level indented. */
function titles(outline: Outline[], indent = ''): string[] {
  return outline.flatMap(({ title, items }) => [indent + title, ...titles(items, `${indent}  `)]);
}

/** What a reader’s program finds in a PDF. */
export async function readPdf(pdf: Uint8Array) {
  const document = await getDocument({ data: new Uint8Array(pdf), verbosity: 0 }).promise;
  const pages = await Promise.all(
    Array.from({ length: document.numPages }, (_, index) => document.getPage(index + 1)),
  );
  const texts = await Promise.all(
    pages.map(async (page) => {
      const { items } = await page.getTextContent();
      return items
        .map((item) => ('str' in item ? item.str : ''))
        .join(' ')
        .replaceAll(/\s+/g, ' ');
    }),
  );
  const links = (await Promise.all(pages.map((page) => page.getAnnotations()))).flat();
  return {
    info: (await document.getMetadata()).info as Record<string, unknown>,
    marked: ((await document.getMarkInfo()) as unknown as Map<string, boolean>).get('Marked'),
    // getOutline gives null for a document without one.
    outline: titles(((await document.getOutline()) ?? []) as Outline[]),
    texts,
    links: links.map(({ url }) => url as string),
    size: pages[0]!.view,
    structure: JSON.stringify(await Promise.all(pages.map((page) => page.getStructTree()))),
  };
}
