import { citeDataset } from '../../../pipeline/artifacts/academics/citations.ts';
import { type Artifact, FIRST_VERSION, type SchemaChange } from '../../../pipeline/artifacts/artifact.ts';
import {
  eventFieldsOf,
  type Field,
  fieldsOf,
  limitsOf,
} from '../../../pipeline/artifacts/data-dictionary.ts';
import type { Citation } from '../../../pipeline/artifacts/format/bibtex.ts';
import { ARTIFACTS } from '../../../pipeline/artifacts/table.ts';
import type { Chart } from '../../../pipeline/charts/chart.ts';
import { CHARTS } from '../../../pipeline/charts/table.ts';
import { datasetOf } from '../../../pipeline/formats/catalogue/catalogue.ts';
import { datasetJsonLd } from '../../../pipeline/formats/catalogue/dataset-json-ld.ts';
import type { DraftFile } from '../../../pipeline/release/format/manifest.ts';
import { schemaPath } from '../../../pipeline/release/format/schemas.ts';
import { operationId } from '../../api/routes/files.ts';
import type { SiteRelease } from '../layout/release.ts';
import { closedYears } from '../portals/report/closed-years.ts';
import { routeAddress } from '../reference/api/api-facts.ts';
import { otherFormats, type TableFormats } from './other-formats.ts';
import { type Preview, previewOf } from './preview.ts';
import { siteFacts } from './site-facts.ts';
import { fileNameOf, type Snippet, snippetsOf, sourceOf } from './snippets.ts';

/** Fields with the same parent: the top level, an object, or the elements of a list. */
interface FieldGroup {
  /** `''` for the top, `compliance`, `sentinels[]`, `by_cathedral.<name>`. */
  path: string;
  /** The description of the list or object. */
  description: string;
  /** `name` is without the group's path. */
  fields: (Field & { id: string })[];
}

/** The path of a list or map (or of a nested one), then the member in it. */
const IN_LIST = /^(.*(?:\[\]|\.<name>))\.(.+)$/;
const IN_OBJECT = /^([^.]+)\.(.+)$/;

/** Groups the fields of a file by their parent, so that long schemas read part by part. Groups keep the file's order. */
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

/** The anchor of a field's row: `sentinels[].score` → `field-sentinels-score`. */
function fieldId(name: string): string {
  return `field-${name.replaceAll(/[^A-Za-z0-9_]+/g, '-').replace(/-$/, '')}`;
}

/** Everything on the page of one published file. */
export interface FilePage {
  artifact: Artifact;
  /** Null for a file that is written after the pages or assembled per request. */
  file: DraftFile | null;
  /** Its path if it is public and in this release; null otherwise. */
  href: string | null;
  /** The file name for downloads. */
  fileName: string;
  fields: readonly Field[];
  /** What a reader has to know before relying on it. Sentences. */
  limits: readonly string[];
  /** What its rows have in JSON lines, Parquet and SQLite besides. Empty unless the release has these. */
  eventFields: Field[];
  /** The path of its schema. */
  schema: string | null;
  schemaHistory: readonly SchemaChange[];
  preview: Preview | null;
  /** The files of closed years, newest first. */
  closed: ClosedFile[];
  tables: TableFormats[];
  snippets: Snippet[];
  charts: Chart[];
  citation: Citation;
  jsonLd: object;
}

/** The pages of all published files, in the order of the table. Throws site_failed. */
export function filePages(release: SiteRelease): FilePage[] {
  return ARTIFACTS.map((artifact) => filePage(release, artifact));
}

/** The page of one published file. */
export function filePageAt(release: SiteRelease, path: string): FilePage {
  return filePage(release, artifactAt(path));
}

/** The citation of one published file. */
export function citationAt(release: SiteRelease, path: string): Citation {
  return citeDataset(siteFacts(release), artifactAt(path));
}

function artifactAt(path: string): Artifact {
  return ARTIFACTS.find((artifact) => artifact.path === path)!;
}

function filePage(release: SiteRelease, artifact: Artifact): FilePage {
  const { path, restricted } = artifact;
  const file = release.find(path) ?? null;
  const schema = schemaPath(artifact);
  const fields = fieldsOf(artifact);
  const changes = (artifact.kind !== 'printed' && artifact.schemaChanges) || [];
  const facts = siteFacts(release);
  const tables = otherFormats(artifact, release);
  return {
    artifact,
    file,
    href: !restricted && release.willHave(path) ? `/${path}` : null,
    fileName: fileNameOf(artifact),
    fields,
    limits: limitsOf(artifact),
    eventFields: tables.length > 0 ? eventFieldsOf(artifact) : [],
    schema: schema !== null && release.find(schema) ? schema : null,
    schemaHistory: fields.length === 0 ? [] : [...changes, FIRST_VERSION],
    preview: file && previewOf(release, file),
    closed: closedFiles(release, artifact),
    tables,
    charts: CHARTS.filter(({ sources }) => sources.includes(path)),
    snippets: snippetsOf(sourceOf(release, artifact)),
    citation: citeDataset(facts, artifact),
    jsonLd: datasetJsonLd(facts, datasetOf(facts, artifact, release)),
  };
}

/** The file of a closed year, which never changes. */
export interface ClosedFile {
  year: number;
  path: string;
  /** Null for a file that is written after the pages. */
  file: DraftFile | null;
}

/** The closed years of an artifact, newest first; empty for an artifact without yearly files. */
function closedFiles(release: SiteRelease, artifact: Artifact): ClosedFile[] {
  if (!('closedPath' in artifact)) return [];
  return closedYears(release)
    .map((year) => ({ year, path: artifact.closedPath(year) }))
    .filter(({ path }) => release.willHave(path))
    .map(({ year, path }) => ({ year, path, file: release.find(path) ?? null }));
}

/** Where the API reference describes a file. */
export function apiPath(artifact: Artifact): string {
  return routeAddress({ group: artifact.area, id: operationId(artifact) });
}
