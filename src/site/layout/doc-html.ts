/** The pages of the documents that others link to. */
export const ON_THE_SITE: Readonly<Record<string, string>> = {
  'simulation.md': '/philosophy/simulation/model/',
  'simulation-reference.md': '/philosophy/simulation/reference/',
  'simulation-protocol.md': '/philosophy/simulation/protocol/',
  'data-dictionary.md': '/files/',
  'events.md': '/events/',
  'embedding.md': '/embedding/',
  'glossary.md': '/glossary/',
};

/** Points links between documents of `docs/` to their pages on the site, or turns them into text if there is none. */
function linkToPages(html: string): string {
  return html.replace(/<a href="([\w-]+\.md)(?:#[\w-]*)?">(.*?)<\/a>/gs, (_, file: string, words: string) =>
    file in ON_THE_SITE ? `<a href="${ON_THE_SITE[file]}">${words}</a>` : words,
  );
}

/** A table row of a code, which gets an anchor: the first row of each. Problems link to those of error codes. */
const CODE_ROW = /<tr>(\s*<td><code>([a-z]+(?:_[a-z]+)+)<\/code>)/g;

/** A heading, or a block of code. */
const HEADING_OR_CODE = /<h[23][^>]*>(.*?)<\/h[23]>|<pre\b.*?<\/pre>/gs;

/** Blocks of code that can be copied, each named by the heading above it; see `CopyBlock.astro`. */
function copyable(html: string): string {
  let heading = '';
  return html.replaceAll(HEADING_OR_CODE, (found: string, title?: string) => {
    if (title === undefined)
      return `<div class="copyable" data-copy="the code${heading && ` of “${heading}”`}">${found}</div>`;
    heading = title.replaceAll(/<[^>]+>/g, '').replaceAll('"', '&quot;');
    return found;
  });
}

/** Each second-level heading begins a section, as it does in pages that are written as such. */
function inSections(html: string): string {
  const [before, ...parts] = html.split(/(?=<h2\b)/);
  return [before, ...parts.map((part) => `<section>${part}</section>`)].join('');
}

/** The address of the service in documents. */
const DOCUMENTED = 'https://data.example.org';

/** The address of this service, also for a socket and within a query. */
function withAddress(html: string, baseUrl: string): string {
  const forms = [(url: string) => url, (url: string) => url.replace(/^http/, 'ws'), encodeURIComponent];
  return forms.reduce((text, form) => text.replaceAll(form(DOCUMENTED), form(baseUrl)), html);
}

/**
 * A document from `docs/` as part of a page of the service at `baseUrl`. Drops the title, which the page has, makes tables scrollable and code
 * copyable.
 */
export function docHtml(compiled: string, baseUrl: string): string {
  let tables = 0;
  const named = new Set<string>();
  return inSections(copyable(linkToPages(withAddress(compiled, baseUrl))))
    .replace(/<h1[^>]*>.*?<\/h1>/s, '')
    .replace(/<table>/g, () => {
      tables += 1;
      return `<div class="scroll" role="group" aria-label="Table ${tables}" tabindex="0"><table>`;
    })
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<th>', '<th scope="col">')
    .replace(CODE_ROW, (row, cell: string, code: string) => {
      if (named.has(code)) return row;
      named.add(code);
      return `<tr id="${code}">${cell}`;
    });
}
