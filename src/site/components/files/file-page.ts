import type { Artifact } from '../../../../pipeline/artifacts/artifact.ts';
import { type Field, fieldsOf } from '../../../../pipeline/artifacts/data-dictionary.ts';
import { SCHEMA_CHANGES, type SchemaChange } from '../../../../pipeline/artifacts/schema-changes.ts';
import { ARTIFACTS } from '../../../../pipeline/artifacts/table.ts';
import type { Chart } from '../../../../pipeline/charts/chart.ts';
import { CHARTS } from '../../../../pipeline/charts/table.ts';
import { citeFile, type DatasetCitation } from '../../../../pipeline/forms/catalogue/citation/cite.ts';
import { datasetJsonLd } from '../../../../pipeline/forms/catalogue/dataset-json-ld.ts';
import { describedFiles } from '../../../../pipeline/forms/catalogue/facts.ts';
import type { DraftFile } from '../../../../pipeline/release/format/manifest.ts';
import { schemaPath } from '../../../../pipeline/release/format/schemas.ts';
import { type Preview, previewOf } from '../preview.ts';
import type { SiteRelease } from '../release.ts';
import { type ClosedFile, closedFiles } from './closed-files.ts';
import { otherForms, type TableForms } from './other-forms.ts';
import { siteFacts } from './site-facts.ts';
import type { Snippet } from './snippets/snippet.ts';
import { snippetsOf } from './snippets/snippets-of.ts';
import { fileNameOf, sourceOf } from './snippets/source.ts';

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
  schemaChanges: readonly SchemaChange[];
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
    schemaChanges: SCHEMA_CHANGES[path] ?? [],
    preview: file && previewOf(release, file),
    closed: closedFiles(release, artifact),
    tables: otherForms(artifact, release.draft.files),
    charts: CHARTS.filter(({ sources }) => sources.includes(path)),
  };
}
