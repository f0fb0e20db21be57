import type { KnownType } from '../ledger/events/event.ts';
import { toJsonSchema } from '../ledger/events/json-schema.ts';
import { formatList } from '../words/phrase.ts';
import type { Artifact } from './artifact.ts';
import { AREAS } from './artifact.ts';
import { typesOf } from './event-files.ts';
import { EVENT_INDEX } from './fields.ts';
import { ARTIFACTS } from './table.ts';

/** One member or column, by the name that readers see: `sentinels[].score`. */
export interface Field {
  name: string;
  required: boolean;
  type: string;
  description: string;
  unit: string;
  range: string;
  formula: string;
  /** Its JSON Schema; of one that may be null, without the null. */
  schema: JsonSchema;
}

export interface JsonSchema {
  type?: string | string[];
  format?: string;
  title?: string;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  const?: unknown;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema | boolean;
  propertyNames?: JsonSchema;
  items?: JsonSchema;
  maxItems?: number;
  description?: string;
  default?: unknown;
  'x-unit'?: string;
  'x-range'?: string;
  'x-formula'?: string;
}

/** Asked for by each table, page and thread, and slow to derive. */
const known = new WeakMap<Artifact, readonly Field[]>();

/** The fields of a file in file order; empty for files without fields (PDF, BibTeX). */
export function fieldsOf(artifact: Artifact): readonly Field[] {
  if (artifact.kind === 'printed' || artifact.mediaType.startsWith('application/x-bibtex')) return [];
  let fields = known.get(artifact);
  if (!fields) {
    fields = fieldsIn(toJsonSchema(artifact.schema, { unrepresentable: 'any' }) as JsonSchema);
    known.set(artifact, fields);
  }
  return fields;
}

/** What the rows of a history have in JSON lines, Parquet and SQLite besides its own columns: the events that a row follows from. */
export function eventFieldsOf(artifact: Artifact): Field[] {
  if (artifact.kind !== 'history' || artifact.line === null) return [];
  const fields = fieldsIn(toJsonSchema(artifact.line) as JsonSchema);
  return fields.filter(({ unit }) => unit === EVENT_INDEX);
}

/** What a reader has to know before relying on a file: its own limits, then those that follow from its kind. Sentences. */
export function limitsOf(artifact: Artifact): string[] {
  const { kind, restricted, refresh, limits } = artifact;
  const isByDay = kind === 'history' && 'dayRows' in artifact;
  const hasAmounts = fieldsOf(artifact).some(({ unit }) => unit.startsWith('MIC'));
  return [
    ...limits,
    ...(isByDay
      ? ['Only days that are over have rows, and a day on which there was nothing to state has none.']
      : []),
    ...(kind === 'history'
      ? [
          'Rows are newest first: sort them by time before you compute differences.',
          'Rows are never changed or removed. What the ledger corrects is added as a new row.',
        ]
      : []),
    ...(hasAmounts
      ? [
          'Amounts have six decimal places. Sums of them in floating point are rounded: use a decimal type where every digit counts.',
        ]
      : []),
    ...(refresh === 'real-time' && !restricted
      ? ['The service answers with the newest event. A mirror has the file as of its release.']
      : []),
  ];
}

/** The members of the objects that a JSON Schema describes, and of the objects in them. */
export function fieldsIn(schema: JsonSchema): Field[] {
  return membersOf(schema, '');
}

function membersOf(schema: JsonSchema, prefix: string): Field[] {
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    withInner(member, prefix === '' ? name : `${prefix}.${name}`, schema.required?.includes(name) ?? false),
  );
  const { additionalProperties: rest } = schema;
  return typeof rest === 'object' && rest.properties
    ? [...members, ...withInner(rest, `${prefix}.<name>`, false)]
    : members;
}

function withInner(schema: JsonSchema, name: string, required: boolean): Field[] {
  const inner = schema.items ?? schema;
  return [
    { ...fieldOf(schema, name), required },
    ...membersOf(alternative(inner), schema.items ? `${name}[]` : name),
  ];
}

/** For a nullable object, its schema without the null. */
function alternative(schema: JsonSchema): JsonSchema {
  return (schema.anyOf ?? schema.oneOf)?.find((one) => one.properties) ?? schema;
}

function fieldOf(schema: JsonSchema, name: string): Omit<Field, 'required'> {
  const inner = schema.anyOf?.find((one) => one.type !== 'null') ?? {};
  const whole = { ...inner, ...schema };
  const { description = '', 'x-unit': unit = '', 'x-range': range = '', 'x-formula': formula = '' } = whole;
  return {
    name,
    type: typeName(schema),
    description,
    unit,
    range: range || oneOf(whole),
    formula,
    schema: whole,
  };
}

function oneOf(schema: JsonSchema): string {
  return schema.enum ? schema.enum.join(', ') : '';
}

function typeName(schema: JsonSchema): string {
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return [...new Set(alternatives.map(typeName))].join(' or ');
  if (schema.items) return `array of ${typeName(schema.items)}`;
  if (schema.const !== undefined) return typeof schema.const;
  if (schema.enum) return 'string';
  return [schema.type ?? 'any'].flat().join(' or ');
}

/** The text of docs/data-dictionary.md: the introduction that it has, and every file. */
export function dataDictionary(page: string): string {
  const areas = AREAS.map((area) => {
    const files = ARTIFACTS.filter((artifact) => artifact.area === area);
    return `\n## /${area}\n${files.map(section).join('')}`;
  });
  return page.slice(0, page.indexOf('\n## ')) + areas.join('');
}

function section(artifact: Artifact): string {
  const { path, title, description, mediaType, restricted, limits } = artifact;
  const access = restricted ? 'needs a key' : 'public';
  const refresh = artifact.refresh === 'real-time' ? 'with every event' : 'with every release (six hours)';
  const types = typesOf(artifact);
  const follows = types.length > 0 ? [`Follows from ${formatList(types.map(typeLink))} events.`] : [];
  const facts = `\`${mediaType}\`, ${access}, changes ${refresh}.`;
  const lines = [
    '',
    `### /${path}`,
    '',
    [`**${title}.** ${markdown(description)}`, facts, ...follows].join('\n'),
    '',
  ];
  const fields = fieldsOf(artifact);
  if (fields.length > 0) lines.push(...fieldTable(fields), '');
  if (limits.length > 0) lines.push(...limits.map((limit) => `- ${limit}`), '');
  return lines.join('\n');
}

const typeLink = (type: KnownType) => `[\`${type}\`](events.md#${type})`;

/** The lines of a table in Markdown with a row for each field. */
function fieldTable(fields: readonly Field[]): string[] {
  const columns = ['field', 'type', 'what it is', 'unit', 'range', 'formula'];
  return formatTable(
    columns,
    fields.map(({ name, type, description, unit, range, formula }) => [
      code(name),
      type,
      description,
      unit,
      range,
      code(formula),
    ]),
  );
}

/** The lines of a table in Markdown. */
export function formatTable(columns: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map(markdownCell).join(' | ')} |`;
  return [line(columns), `|${'---|'.repeat(columns.length)}`, ...rows.map(line)];
}

export const markdownCell = (text: string) => markdown(text).replaceAll('|', '\\|');

/** A text with `` `code` `` in which Markdown would otherwise drop `<year>` as a tag, and make `__proto__` bold. */
function markdown(text: string): string {
  return text.replaceAll(/`[^`]*`|<(?=[a-z])|\b__\w+__\b/g, (found) =>
    found === '<' ? '\\<' : found.startsWith('_') ? `\`${found}\`` : found,
  );
}

export function code(text: string): string {
  return text && `\`${text}\``;
}

/** The README with the number of published files, and with its table of them. */
export function withPublishedFiles(readme: string): string {
  const rows = AREAS.map((area) => {
    const files = ARTIFACTS.filter((artifact) => artifact.area === area);
    const paths = files.map(({ path, restricted }) => `\`/${path}\`${restricted ? '\\*' : ''}`);
    return `| ${area} | ${paths.join(', ')} |\n`;
  });
  return readme
    .replace(/publishes \d+ files/, `publishes ${ARTIFACTS.length} files`)
    .replace(/(\| area \| files \|\n\|---\|---\|\n)(\|.*\n)*/, `$1${rows.join('')}`);
}
