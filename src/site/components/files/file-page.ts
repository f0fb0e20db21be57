import type { Artifact, SchemaVersion } from '../../../../pipeline/artifacts/artifact.ts';
import { type Field, fieldsOf } from '../../../../pipeline/artifacts/data-dictionary.ts';
import { ARTIFACTS } from '../../../../pipeline/artifacts/table.ts';
import type { Chart } from '../../../../pipeline/charts/chart.ts';
import { CHARTS } from '../../../../pipeline/charts/table.ts';
import { citeFile, type DatasetCitation } from '../../../../pipeline/forms/catalogue/citation.ts';
import { datasetJsonLd } from '../../../../pipeline/forms/catalogue/dataset-json-ld.ts';
import { describedFiles } from '../../../../pipeline/forms/catalogue/facts.ts';
import type { DraftFile } from '../../../../pipeline/release/format/manifest.ts';
import { schemaPath } from '../../../../pipeline/release/format/schemas.ts';
import { operationId } from '../../../api/openapi/artifact-operations.ts';
import { type Preview, previewOf } from '../preview.ts';
import type { SiteRelease } from '../release.ts';
import { closedYears } from '../report/closed-years.ts';
import { otherForms, type TableForms } from './other-forms.ts';
import { siteFacts } from './site-facts.ts';
import { snippetsOf } from './snippets/snippets.ts';
import { fileNameOf, isExport, type Snippet, sourceOf } from './snippets/source.ts';

/** Fields that stand together in the file: at its top, in one object of it, or in each element of one list. */
interface FieldGroup {
  /** `''` for the top, `compliance`, `sentinels[]`, `by_cathedral.<name>`. */
  path: string;
  /** What the list or object is. */
  description: string;
  /** `name` is without the group's path. */
  fields: (Field & { id: string })[];
}

/** A list of lists, a list or an object with names of its own; then the member in it. */
const IN_LIST = /^(.*(?:\[\]|\.<name>))\.(.+)$/;
const IN_OBJECT = /^([^.]+)\.(.+)$/;

/** The fields of a file by where they stand, so that long schemas read part by part; each group is as in the file. */
export function fieldGroups(fields: readonly Field[]): FieldGroup[] {
  const groups = new Map<string, FieldGroup>();
  for (const field of fields) {
    const [, path = '', name = field.name] = IN_LIST.exec(field.name) ?? IN_OBJECT.exec(field.name) ?? [];
    const group = groups.get(path) ?? { path, description: descriptionOf(fields, path), fields: [] };
    group.fields.push({ ...field, name, id: fieldId(field.name) });
    groups.set(path, group);
  }
  return [...groups.values()];
}

function descriptionOf(fields: readonly Field[], path: string): string {
  const container = path.replace(/(\[\]|\.<name>)$/, '');
  return fields.find(({ name }) => name === container)?.description ?? '';
}

/** Of a field's row, for links into the page: `sentinels[].score` → `field-sentinels-score`. */
function fieldId(name: string): string {
  return `field-${name.replaceAll(/[^A-Za-z0-9_]+/g, '-').replace(/-$/, '')}`;
}

/** What the page of one published file is made from. */
export interface FilePage {
  artifact: Artifact;
  /** Null where it is not made before the pages are, or put together for each request. */
  file: DraftFile | null;
  /** Where it can be had without a key; null where it needs one, or this release is without it. */
  href: string | null;
  /** To save it under. */
  fileName: string;
  fields: Field[];
  /** Path of its schema. */
  schema: string | null;
  schemaHistory: readonly SchemaVersion[];
  preview: Preview | null;
  /** Of years that are over, newest first. */
  closed: ClosedFile[];
  tables: TableForms[];
  snippets: Snippet[];
  charts: Chart[];
  citation: DatasetCitation;
  jsonLd: object;
}

/** One for each published file, in the order of the table. Throws site_failed. */
export function filePages(release: SiteRelease): FilePage[] {
  const facts = siteFacts(release);
  const { baseUrl, author, asOf, cycle } = facts;
  const cited = { documents: { citations: { author } }, baseUrl, state: { asOf, cycle } };
  const described = new Map(describedFiles(facts).map((one) => [one.artifact.path, one]));
  return ARTIFACTS.map((artifact) => {
    const citation = citeFile(cited, artifact);
    const { files } = described.get(artifact.path)!;
    return {
      ...filePage(release, artifact),
      snippets: snippetsOf(sourceOf(release, artifact)),
      citation,
      jsonLd: datasetJsonLd(facts, { artifact, files }),
    };
  });
}

function filePage(
  release: SiteRelease,
  artifact: Artifact,
): Omit<FilePage, 'snippets' | 'citation' | 'jsonLd'> {
  const { path, restricted } = artifact;
  const file = release.find(path) ?? null;
  const schema = schemaPath(artifact);
  return {
    artifact,
    file,
    href: !restricted && release.willHave(path) ? `/${path}` : null,
    fileName: fileNameOf(artifact),
    fields: fieldsOf(artifact),
    schema: schema !== null && release.find(schema) ? schema : null,
    schemaHistory: artifact.kind === 'printed' ? [] : artifact.schemaHistory,
    preview: file && previewOf(release, file),
    closed: closedFiles(release, artifact),
    tables: otherForms(artifact, release.draft.files),
    charts: CHARTS.filter(({ sources }) => sources.includes(path)),
  };
}

/** A file of a year that is over: it never changes. */
export interface ClosedFile {
  year: number;
  path: string;
  /** Null where it is made after the pages. */
  file: DraftFile | null;
}

/** Newest first; none of an artifact that has no such files. */
function closedFiles(release: SiteRelease, artifact: Artifact): ClosedFile[] {
  if (!('closedPath' in artifact)) return [];
  return closedYears(release)
    .map((year) => ({ year, path: artifact.closedPath(year) }))
    .filter(({ path }) => release.willHave(path))
    .map(({ year, path }) => ({ year, path, file: release.find(path) ?? null }));
}

/** Where the API reference has a file: the id of its operation. */
export function apiAnchor(artifact: Artifact): string {
  return isExport(artifact) ? 'exportLedger' : operationId(artifact);
}
