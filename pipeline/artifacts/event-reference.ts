import { EVENT_DATA, KNOWN_TYPES, type KnownType } from '../ledger/events/event.ts';
import { exampleOf } from '../ledger/events/event-examples.ts';
import { formatEventLine } from '../ledger/events/event-line.ts';
import { dataSchema, eventSchemaPath } from '../ledger/events/event-schemas.ts';
import { DECISIONS, type Decision } from '../ledger/log/public-events.ts';
import { annotationsOf } from '../words/described.ts';
import { formatList } from '../words/phrase.ts';
import { code, type Field, fieldsIn, formatTable, type JsonSchema } from './data-dictionary.ts';
import { ARTIFACTS } from './table.ts';

/** Everything that the reference says about an event type. */
export interface EventType {
  type: KnownType;
  /** What the event records. A sentence. */
  description: string;
  /** What follows from it. Sentences. */
  effect: string;
  /** The members of `data`, by the names that writers use: `risks[].severity`. */
  fields: Field[];
  /** A line of a ledger, without its line end. */
  example: string;
  /** Paths of the published files whose numbers follow from it, in the order of the table of files. */
  files: readonly string[];
  /** Path of the JSON Schema of `data`. */
  schema: string;
  /** Whether its lines are public in the log, and why. */
  decision: Decision;
}

/** Every event type, in the order of the schemas. Fields follow from JSON Schemas, which take long to make, and few who load this ask for them. */
export const EVENT_TYPES: readonly EventType[] = KNOWN_TYPES.map((type) => {
  const { description, effect } = annotationsOf(EVENT_DATA[type]) as { description: string; effect: string };
  return {
    type,
    description,
    effect,
    get fields() {
      return fieldsOfData(dataSchema(type));
    },
    example: formatEventLine(exampleOf(type)),
    files: filesOf(type),
    schema: eventSchemaPath(type),
    decision: DECISIONS[type],
  };
});

/** The paths of the files that follow from events of a type, besides those that list or count all, in the order of the table. */
export function filesOf(type: KnownType): string[] {
  return ARTIFACTS.filter(({ followsFrom = [] }) => followsFrom.includes(type)).map(({ path }) => path);
}

/** The fields of alternatives together: a member that several have is listed once, with the ranges of all. */
function fieldsOfData(schema: JsonSchema): Field[] {
  const fields = new Map<string, Field>();
  for (const field of (schema.oneOf ?? [schema]).flatMap(fieldsIn)) {
    const known = fields.get(field.name);
    if (!known) fields.set(field.name, field);
    else if (known.range !== field.range)
      fields.set(field.name, { ...known, range: `${known.range}, ${field.range}` });
  }
  return [...fields.values()];
}

/** The beginning of what follows from the schemas. */
const ALL_TYPES = '\n## All types\n';

/** The text of docs/events.md: the introduction that it has, and every type. */
export function formatEventReference(page: string): string {
  return page.slice(0, page.indexOf(ALL_TYPES)) + ALL_TYPES + EVENT_TYPES.map(section).join('');
}

/** Whether anyone can read the events of a type in the log, as a sentence and the reason. */
export function describeDecision({ public: isPublic, reason }: Decision): string {
  return `${isPublic ? 'Published as a line' : 'Stays a hash'}. ${reason}`;
}

function section({ type, description, effect, fields, example, files, schema, decision }: EventType): string {
  const changed = files.length > 0 ? `Changes ${formatList(files.map(fileLink))}.` : 'Changes no other file.';
  return [
    ...['', `### ${code(type)}`, '', description, ''],
    ...[`- **Effect.** ${effect}`, `- **In the log.** ${describeDecision(decision)}`],
    ...[`- **Files.** ${changed} JSON Schema: \`/${schema}\`.`, '', ...memberTable(fields), ''],
    ...['```json', example, '```', ''],
  ].join('\n');
}

function memberTable(fields: readonly Field[]): string[] {
  if (fields.length === 0) return ['`data` has no members: `{}`.'];
  // Few members have a formula.
  const formulas = fields.some(({ formula }) => formula !== '');
  const columns = ['member of `data`', 'required', 'type', 'what it is', 'unit', 'range'];
  const rows = fields.map(({ name, required, type, description, unit, range, formula }) => [
    ...[code(name), required ? 'yes' : 'no', type, description, unit, range],
    ...(formulas ? [code(formula)] : []),
  ]);
  return formatTable(formulas ? [...columns, 'formula'] : columns, rows);
}

/** A link to the file's section in the data dictionary, with the anchor that code hosts make. */
function fileLink(path: string): string {
  return `[\`/${path}\`](data-dictionary.md#${path.replaceAll(/[^\w-]/g, '')})`;
}
