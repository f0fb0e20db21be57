import { type Field, fieldTable } from '../../../../pipeline/artifacts/data-dictionary.ts';
import { CITATION_FORMS } from '../../../../pipeline/forms/catalogue/citation.ts';
import { formatMoment } from '../../../../pipeline/words/moment.ts';
import { formatBytes, formatNumber } from '../../../../pipeline/words/number.ts';
import type { FilePage } from './file-page.ts';

/** The page of a file as Markdown, for programs that read text: `/files/<path>/index.md`. */
export function fileMarkdown(page: FilePage, baseUrl: string): string {
  const { artifact, fields, eventFields, limits, tables, closed, charts, schema, citation } = page;
  const { path, title, description, restricted } = artifact;
  const url = (name: string) => `${baseUrl}/${name}`;
  const text = CITATION_FORMS[0]!.format(citation).trim();
  const forms = tables.flatMap(({ title: table, forms }) =>
    forms.map(({ name, use, file }) => `${url(file.path)}: ${table}, ${name}, ${use}`),
  );
  return [
    `# ${title}`,
    description,
    list(factsOf(page, url)),
    section('Fields', [rowsOf(fields), ...ofEvents(eventFields)]),
    section('Limits and notes', [list(limits)]),
    section('Other formats', [list([...forms, ...closed.map(({ path }) => url(path))])]),
    section('Charts', [list(charts.map(({ id, name }) => `[${name}](${url(`charts/${id}/`)})`))]),
    section('Cite it', [`> ${text}`]),
    section('Versions', [
      restricted
        ? ''
        : `${url(path)}?as_of=<day> is the file as it was at the end of a day, for example as_of=2026-06-10, on the service itself; ${url(`versions/?file=${path}`)} shows it on any host.`,
    ]),
    section('Verify it', [
      restricted
        ? ''
        : `${url('manifest.json')} has the SHA-256 of every file and is signed. ${url('verification/')} explains it.`,
    ]),
    section('For programs', [
      list([
        ...(schema ? [`Schema: ${url(schema)}`] : []),
        `OpenAPI description: ${url('openapi.json')}`,
        `This page: ${url(`files/${path}/`)}`,
      ]),
    ]),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}

function factsOf({ artifact, file, citation: { asOf } }: FilePage, url: (name: string) => string): string[] {
  const { path, area, mediaType, restricted, refresh } = artifact;
  return [
    `Address: ${url(path)}`,
    restricted ? `Access: needs a ${area} key` : 'Access: public, CC BY 4.0',
    ...(asOf === null ? [] : [`As of: ${formatMoment(asOf)}`]),
    `Updates: ${refresh === 'real-time' ? 'with each event, and in each release' : 'in each release with new content'}`,
    `Media type: ${mediaType}`,
    ...(file ? [`Size: ${formatBytes(file.bytes)}`] : []),
    ...(typeof file?.rows === 'number' ? [`Rows: ${formatNumber(file.rows)}`] : []),
    ...(file && !restricted ? [`SHA-256: ${file.sha256}`] : []),
  ];
}

const ofEvents = (fields: readonly Field[]) =>
  fields.length === 0 ? [] : ['In JSON lines, Parquet and SQLite, each row also has:', rowsOf(fields)];

const rowsOf = (fields: readonly Field[]) => (fields.length === 0 ? '' : fieldTable(fields).join('\n'));

/** Empty without parts. */
function section(heading: string, parts: readonly string[]): string {
  const shown = parts.filter((part) => part !== '');
  return shown.length === 0 ? '' : [`## ${heading}`, ...shown].join('\n\n');
}

function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}
