import { createSatteriMarkdownProcessor } from '@astrojs/markdown-satteri';

/** Texts of papers, by id: from Markdown to HTML, as Astro does it for other pages. Code has no colours, which would be inline styles. */
export async function paperHtml(texts: ReadonlyMap<string, string>): Promise<Record<string, string>> {
  const processor = await createSatteriMarkdownProcessor({ syntaxHighlight: false });
  const html: Record<string, string> = {};
  for (const [id, text] of texts) html[id] = (await processor.render(text)).code;
  return html;
}
