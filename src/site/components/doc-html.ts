/** The pages of the documents that others link to. */
const ON_THE_SITE: Readonly<Record<string, string>> = {
  'simulation.md': '/philosophy/simulation/model/',
  'simulation-protocol.md': '/philosophy/simulation/protocol/',
  'data-dictionary.md': '/files/',
  'events.md': '/events/',
};

/** Points links between documents of `docs/` to their pages on the site, or turns them into text if there is none. */
export function linkToPages(html: string): string {
  return html.replace(/<a href="([\w-]+\.md)(?:#[\w-]*)?">(.*?)<\/a>/gs, (_, file: string, words: string) =>
    file in ON_THE_SITE ? `<a href="${ON_THE_SITE[file]}">${words}</a>` : words,
  );
}

/** A table row of an error code, which gets an anchor for links from problems. */
const CODE_ROW = /<tr>(\s*<td><code>([a-z]+(?:_[a-z]+)+)<\/code>)/g;

/**
 * A document from `docs/` as part of a page. Drops the title, which the page has, and makes tables scrollable.
 */
export function docHtml(compiled: string): string {
  let tables = 0;
  return linkToPages(compiled)
    .replace(/<h1[^>]*>.*?<\/h1>/s, '')
    .replace(/<table>/g, () => {
      tables += 1;
      return `<div class="scroll" role="group" aria-label="Table ${tables}" tabindex="0"><table>`;
    })
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<th>', '<th scope="col">')
    .replace(CODE_ROW, '<tr id="$2">$1');
}
