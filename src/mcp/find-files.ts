import { z } from 'zod';
import { AREAS, type Artifact } from '../../pipeline/artifacts/artifact.ts';
import { type Field, fieldsOf, limitsOf } from '../../pipeline/artifacts/data-dictionary.ts';
import { ARTIFACTS } from '../../pipeline/artifacts/table.ts';
import { CHARTS } from '../../pipeline/charts/table.ts';
import { nearestName } from '../../pipeline/config/nearest-name.ts';
import { addressIn, citeFile, formatText } from '../../pipeline/forms/catalogue/citation.ts';
import { describedFiles } from '../../pipeline/forms/catalogue/facts.ts';
import { TABLES, type Table } from '../../pipeline/forms/tables.ts';
import type { PublicFile } from '../../pipeline/release/format/public-manifest.ts';
import { schemaPath } from '../../pipeline/release/format/schemas.ts';
import { formatCount } from '../../pipeline/words/number.ts';
import type { OpenRelease } from './held-release.ts';
import { defineTool } from './tool.ts';
import { ToolError } from './tool-error.ts';

export const FilePath = z
  .string()
  .min(1)
  .max(200)
  .meta({ description: 'Path of a file as find_files returns it, for example economy/supply-by-day.csv' });

/** A file that a path names, in a release that has it. */
export interface Known {
  artifact: Artifact;
  /** That of the artifact, or of one of its closed years. */
  file: PublicFile;
}

/** Throws a ToolError that names the nearest path. */
export function knownFile(release: OpenRelease, given: string): Known {
  const path = given.replace(/^\/+/, '');
  const year = /-(\d{4})\.\w+$/.exec(path)?.[1];
  const artifact = ARTIFACTS.find(
    (one) =>
      one.path === path ||
      (year !== undefined && 'closedPath' in one && one.closedPath(Number(year)) === path),
  );
  if (artifact?.restricted)
    throw new ToolError(
      `${path} is restricted: it needs a government key, and no tool here reads it. The service’s address of the file takes the key.`,
    );
  const file = release.find(path);
  if (artifact && file) return { artifact, file };
  const form = TABLES.find(
    (table) => path.startsWith(`${table.artifact.area}/${table.name.replaceAll('_', '-')}`) && file,
  );
  if (form) throw new ToolError(`${path} is another form of ${form.artifact.path}: use that path.`);
  const nearest = nearestName(
    path,
    publicFiles(release).map((one) => one.artifact.path),
  );
  throw new ToolError(
    `There is no file ${path}. ${nearest === null ? 'find_files lists all.' : `Did you mean ${nearest}?`}`,
  );
}

/** The public files of a release that this version of the software knows, each with its forms. */
function publicFiles(release: OpenRelease) {
  const files = release.files.map((file) => ({ ...file, restricted: false }));
  return describedFiles({ files }).filter(
    ({ artifact, files }) => !artifact.restricted && files[0]?.path === artifact.path,
  );
}

type Described = ReturnType<typeof publicFiles>[number];

/** Where each word counts how much. */
function textsOf({ artifact: { path, title, description, area } }: Described, fields: readonly Field[]) {
  return [
    { weight: 5, text: title },
    { weight: 4, text: `${path} ${area}` },
    { weight: 3, text: fields.map(({ name }) => name).join(' ') },
    { weight: 2, text: description },
    { weight: 1, text: fields.map((field) => `${field.description} ${field.unit}`).join(' ') },
  ].map(({ weight, text }) => ({ weight, words: new Set(wordsOf(text)) }));
}

/** In lower case, without the s of a plural. */
function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) =>
    word.length > 3 ? word.replace(/s$/, '') : word,
  );
}

/** Files with the most words first, then those with words in more important places. */
function ranked(all: readonly Described[], query: string): Described[] {
  const words = [...new Set(wordsOf(query))];
  if (words.length === 0) return [...all];
  const scores = all.map((described) => {
    const places = textsOf(described, fieldsOf(described.artifact));
    const weights = words.map((word) => places.find((place) => place.words.has(word))?.weight ?? 0);
    const found = weights.filter((weight) => weight > 0).length;
    return { described, score: found * 100 + weights.reduce((sum, weight) => sum + weight, 0) };
  });
  return scores
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .map(({ described }) => described);
}

const FileFacts = z.strictObject({
  path: z.string(),
  title: z.string(),
  description: z.string(),
  area: z.enum(AREAS),
  media_type: z.string(),
  bytes: z.int(),
  rows: z.int().nullable().meta({ description: 'Data rows; null for a file that is not a table' }),
  sha256: z.string(),
  address: z.string().meta({ description: 'Of the newest version' }),
  page: z.string().meta({ description: 'Its page for people' }),
  as_of: z
    .string()
    .nullable()
    .meta({ description: 'Time of the data, UTC; null for a file without a time of its own' }),
  permanent_address: z
    .string()
    .nullable()
    .meta({ description: 'Of this version. Cite it with every number' }),
  citation: z.string(),
  forms: z.array(z.strictObject({ address: z.string(), bytes: z.int() })).meta({
    description: 'The same rows in other formats',
  }),
});

async function factsOf(release: OpenRelease, { artifact, files: [own, ...forms] }: Described) {
  const { path, title, description, area } = artifact;
  const { baseUrl } = await release.facts();
  const { bytes, rows = null, sha256, media_type } = own!;
  const asOf = await release.statedTime(path);
  const citation = citeFile(await release.cited({ path, sha256, asOf }), artifact);
  return {
    path,
    title,
    description,
    area,
    media_type,
    bytes,
    rows,
    sha256,
    address: `${baseUrl}/${path}`,
    page: `${baseUrl}/files/${path}/`,
    as_of: citation.asOf,
    permanent_address: addressIn(citation.permanent),
    citation: formatText(citation),
    forms: forms.map((form) => ({ address: `${baseUrl}/${form.path}`, bytes: form.bytes })),
  };
}

const NamedColumn = z.strictObject({ name: z.string(), unit: z.string() });

export const findFiles = defineTool({
  name: 'find_files',
  title: 'Find files',
  description:
    'Searches the published files by words in their titles, paths, columns and descriptions. Without words it lists all of them. Returns for each its columns with units, formats, sizes, permanent address and citation.',
  input: z.strictObject({
    words: z.string().max(200).default('').meta({ description: 'For example: supply by day' }),
    area: z.enum(AREAS).optional(),
    limit: z.int().min(1).max(50).default(10),
  }),
  output: z.strictObject({
    found: z.int().meta({ description: 'Files that match, also beyond the limit' }),
    files: z.array(FileFacts.extend({ columns: z.array(NamedColumn) })),
  }),
  run: async ({ words, area, limit }, { held }) =>
    held.read(async (release) => {
      const all = publicFiles(release).filter(({ artifact }) => area === undefined || artifact.area === area);
      const found = ranked(all, words);
      const files = await Promise.all(
        found.slice(0, limit).map(async (described) => ({
          ...(await factsOf(release, described)),
          columns: fieldsOf(described.artifact).map(({ name, unit }) => ({ name, unit })),
        })),
      );
      const names = files.map(({ path, title }) => `${path} (${title})`).join(', ');
      const text =
        found.length === 0
          ? `No file has the words “${words}”. Try fewer or other words, or none to list all files.`
          : `${formatCount(found.length, 'file')} found: ${names}${found.length > limit ? ' …' : ''}.`;
      return { text, value: { found: found.length, files } };
    }),
});

const DescribedField = z.strictObject({
  name: z.string(),
  type: z.string(),
  required: z.boolean(),
  unit: z.string(),
  range: z.string(),
  formula: z.string(),
  description: z.string(),
});

const DescribedTable = z.strictObject({
  name: z.string().meta({ description: 'For read_rows' }),
  title: z.string(),
  key: z.array(z.string()).meta({ description: 'Columns that identify a row; empty if none do' }),
  columns: z.array(z.strictObject({ name: z.string(), type: z.string(), unit: z.string() })),
});

export const describeFile = defineTool({
  name: 'describe_file',
  title: 'Describe a file',
  description:
    'Returns every field of a file with its unit, range, formula and meaning, its tables with their columns for read_rows, its JSON Schema, how soon it is updated, and the charts made from it.',
  input: z.strictObject({ path: FilePath }),
  output: FileFacts.extend({
    updated: z.enum(['real-time', 'release']).meta({
      description: 'release: every six hours. real-time: the service’s own address also has newer values',
    }),
    limits: z
      .array(z.string())
      .meta({ description: 'What to know before relying on the file: mention what matters for the answer' }),
    fields: z.array(DescribedField),
    tables: z.array(DescribedTable),
    schema: z.string().nullable().meta({ description: 'Address of its JSON Schema' }),
    charts: z.array(z.strictObject({ id: z.string(), name: z.string(), address: z.string() })),
  }),
  run: async ({ path }, { held }) =>
    held.read(async (release) => {
      const { artifact } = knownFile(release, path);
      const described = publicFiles(release).find((one) => one.artifact === artifact)!;
      const { baseUrl } = await release.facts();
      const schema = schemaPath(artifact);
      const fields = fieldsOf(artifact);
      const value = {
        ...(await factsOf(release, described)),
        updated: artifact.refresh,
        limits: [...limitsOf(artifact)],
        fields: fields.map(({ name, type, required, unit, range, formula, description }) => {
          return { name, type, required, unit, range, formula, description };
        }),
        tables: tablesOf(artifact).map(({ name, title, key, columns }) => ({
          name,
          title,
          key: [...key],
          columns: columns.map((column) => ({ name: column.name, type: column.type, unit: column.unit })),
        })),
        schema: schema !== null && release.find(schema) ? `${baseUrl}/${schema}` : null,
        charts: CHARTS.filter(({ sources }) => sources.includes(artifact.path)).map(({ id, name }) => {
          return { id, name, address: `${baseUrl}/charts/${id}/` };
        }),
      };
      const text = `${artifact.title}: ${artifact.description} ${formatCount(fields.length, 'field')}, data of ${value.as_of ?? 'no stated time'}.`;
      return { text, value };
    }),
});

export function tablesOf(artifact: Artifact): readonly Table[] {
  return TABLES.filter((table) => table.artifact === artifact);
}
