/** Where the documents of the repository that are linked to are read on the site. */
const ON_THE_SITE: Readonly<Record<string, string>> = {
  'simulation.md': '/philosophy/simulation/model/',
  'simulation-protocol.md': '/philosophy/simulation/protocol/',
  'data-dictionary.md': '/files/',
};
/** Where a code leads that a problem names: each has a row of a table. */
const CODE_ROW = /<tr>(\s*<td><code>([a-z]+(?:_[a-z]+)+)<\/code>)/g;

/**
 * A document of `docs/`, as a part of a page: the same text in both, so it is written once. Without its title, which the page
 * has; tables can be scrolled; links to other documents lead to where they are on the site, or are words where they are not.
 */
export function docHtml(compiled: string): string {
  let tables = 0;
  return compiled
    .replace(/<h1[^>]*>.*?<\/h1>/s, '')
    .replace(/<a href="([\w-]+\.md)(?:#[\w-]*)?">(.*?)<\/a>/gs, (_, file: string, words: string) =>
      file in ON_THE_SITE ? `<a href="${ON_THE_SITE[file]}">${words}</a>` : words,
    )
    .replace(/<table>/g, () => {
      tables += 1;
      return `<div class="scroll" role="group" aria-label="Table ${tables}" tabindex="0"><table>`;
    })
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<th>', '<th scope="col">')
    .replace(CODE_ROW, '<tr id="$2">$1');
}
