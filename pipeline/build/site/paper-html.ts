import { createSatteriMarkdownProcessor } from '@astrojs/markdown-satteri';
import { paperTextFile } from '../../artifacts/documents/papers-bib.ts';
import { CathedralError } from '../../errors.ts';

/**
 * Texts of papers, by id: from Markdown to HTML, as Astro does it for other pages. Code has no colours, which would be inline styles.
 * Throws document_invalid for a text that names a picture by a path: only texts are published.
 */
export async function paperHtml(texts: ReadonlyMap<string, string>): Promise<Map<string, string>> {
  const processor = await createSatteriMarkdownProcessor({ syntaxHighlight: false });
  const html = new Map<string, string>();
  for (const [id, text] of texts) {
    const place = paperTextFile(id);
    const { code, metadata } = await processor.render(text).catch((cause: Error) => {
      const expected = 'Markdown with correct addresses';
      throw new CathedralError('document_invalid', { place, expected, found: cause.message, cause });
    });
    const [picture] = metadata.localImagePaths;
    if (picture !== undefined) {
      const expected = 'pictures with an address that begins with https://';
      throw new CathedralError('document_invalid', { place, expected, found: picture });
    }
    html.set(id, code);
  }
  return html;
}
