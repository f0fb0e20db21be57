import { AREAS } from '../../artifacts/artifact.ts';
import { authorsOf, homeOf } from '../../artifacts/documents/organisation.ts';
import { formatList } from '../../words/phrase.ts';
import { formPath } from '../tables.ts';
import type { Catalogue, Dataset } from './catalogue.ts';

/** `/llms.txt` (llmstxt.org): what is here and where, for language models. */
export function formatLlmsTxt({
  baseUrl,
  asOf,
  organisation,
  datasets,
  title,
  description,
}: Catalogue): string {
  const { name, contact, licence } = organisation;
  const areas = AREAS.map((area) => {
    const files = datasets.filter((one) => one.area === area);
    return `## /${area}\n\n${files.map((one) => line(baseUrl, one)).join('\n')}\n`;
  });
  return `# ${title}

> ${description}

Published by ${name} (${homeOf(organisation, baseUrl)}), contact ${contact}.

Releases come every six hours; files marked real-time follow each event on the server. ${baseUrl}/latest.json has the time of
the newest release. Times are UTC.
Each data file takes ?as_of= with a date, a time or a snapshot (2026-06-10T06Z) and answers as it was then. Data under ${licence.title} (${licence.url}). Cite as: ${formatList(authorsOf(organisation))} (${asOf.slice(0, 4)}), title of
the file, its time, its permanent address ${baseUrl}/snapshots/<snapshot>/<path>.

Quote each number with its unit and its time. Both are in the file; its schema is under ${baseUrl}/schemas/.

${areas.join('\n')}
## Catalogues

- [A page for every file: fields, limits, forms, examples, citation](${baseUrl}/files/)
- [All public tables in one SQLite file](${baseUrl}/cathedral.sqlite)
- [Data Package](${baseUrl}/datapackage.json)
- [DCAT 3 catalogue](${baseUrl}/catalog.jsonld)
- [Croissant](${baseUrl}/croissant.json)
- [The types of events in the ledger, with a JSON Schema of each](${baseUrl}/events/)
- [OpenAPI description](${baseUrl}/openapi.json)
- [AsyncAPI description of the governance simulation, a WebSocket](${baseUrl}/asyncapi.json)
- [Changes to the data: Atom](${baseUrl}/feed.atom); of an area ${baseUrl}/economy/feed.atom; each also as feed.json
- [Citation of these data, and of the software](${baseUrl}/CITATION.cff)
- [Citations: BibTeX](${baseUrl}/academics/citations.bib), [RIS](${baseUrl}/citations.ris), [CSL-JSON](${baseUrl}/citations.csl.json)
`;
}

function line(
  baseUrl: string,
  { path, title, description, artifact, restricted, page, tables, downloads }: Dataset,
): string {
  const marks = [restricted && 'needs a key', artifact?.refresh === 'real-time' && 'real-time'].filter(
    Boolean,
  );
  const forms = tables
    .map((table) => formPath(table, '.ndjson'))
    .filter((form) => downloads.some((download) => download.path === form))
    .map((form) => `${baseUrl}/${form}`);
  const also = forms.length > 0 ? ` As JSON lines: ${forms.join(', ')}.` : '';
  return `- [${title}](${baseUrl}/${path})${marks.length > 0 ? ` (${marks.join(', ')})` : ''}: ${description}${also} Fields, limits and citation: ${baseUrl}/${page}`;
}
