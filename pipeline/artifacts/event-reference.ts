import { EVENT_DATA, type KnownType } from '../ledger/events/event.ts';
import { exampleOf } from '../ledger/events/event-examples.ts';
import { formatEventLine } from '../ledger/events/event-line.ts';
import {
  dataSchema,
  EVENT_DRAFT_SCHEMA_PATH,
  EVENT_LINE_SCHEMA_PATH,
  eventSchemaPath,
  KNOWN_TYPES,
} from '../ledger/events/event-schemas.ts';
import { DECISIONS, type Decision } from '../ledger/log/public-events.ts';
import { formatList } from '../words/phrase.ts';
import { code, type Field, fieldsIn, formatTable, type JsonSchema } from './data-dictionary.ts';
import { FILES_OF_EVERY_EVENT, filesOf } from './event-files.ts';

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

/** Every event type, in the order of the schemas. */
export const EVENT_TYPES: readonly EventType[] = KNOWN_TYPES.map((type) => {
  const { description, effect } = EVENT_DATA[type].meta() as { description: string; effect: string };
  return {
    type,
    description,
    effect,
    fields: fieldsOfData(dataSchema(type)),
    example: formatEventLine(exampleOf(type)),
    files: filesOf(type),
    schema: eventSchemaPath(type),
    decision: DECISIONS[type],
  };
});

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

const INTRODUCTION = `# Event types

What a ledger can say: each type of event with the members of its \`data\`, an example, and the published files that follow from it.
\`npm run dictionary\` generates this page from the schemas that every event is checked against; a test fails if the two differ.
[The ledger's format](ledger.md) has the members of a line. A running service shows this page at \`/events/\`.

- A required member that is missing, or a value outside its range, stops the run (\`ledger_schema\`). Other members are kept and ignored.
- A type that is not listed here is allowed. Its events are in the audited export and counted as \`other\`, and nothing else follows from them.
- An event may contradict others, such as a mint whose amount does not follow the formula. It counts, and the service publishes a finding in
  [\`/government/sentinel-status.json\`](data-dictionary.md#governmentsentinel-statusjson).
- Ids have at most 200 characters, do not begin with \`=\`, \`+\`, \`-\` or \`@\`, and contain no control characters. A snake_case token consists of lower-case
  letters and digits in words joined by \`_\`.
- Events of every type change ${formatList(FILES_OF_EVERY_EVENT.map(fileLink))}, which list or count them. The files below are those whose other
  content follows from the type. A test compares them with the files of a ledger that lacks what the events of the type say.
- "In the log" says whether anyone can read the events of a type, line by line, or only their hashes. [The log](log.md#public-events) has the
  rules. An event with a member that is not listed here always stays a hash.

## Correcting

A ledger is append-only: nobody can change or remove an event. A later event corrects an earlier one.

- The same event again, with the same id or name, replaces what was said: \`decision_recorded\`, \`alert_raised\`, \`audit_scheduled\`, \`multiplier_set\`,
  \`compliance_audited\`, \`policy_projected\`, \`app_registered\`, \`package_registered\`, and \`position_taken\` until the deliberation is closed. A new
  \`mii_reading\` or \`attestation\` replaces the last value, but each counts in the means.
- Histories keep every row. A decision that was recorded again counts once; its earlier record is marked as replaced. The final report of a
  year that is over stays as it is, so a correction in a later year appears in the report of that year.
- A deliberation cannot be corrected after its close. Open it again with the same id, take the positions and close it: each closing
  counts and keeps its row. To withdraw only the outcome, record a decision that says so.
- A mint, burn or lock cannot be taken back. A mint that was too high is corrected by a burn whose reason says so.

## Personal data, and requests to erase it

Decide before you write: what was published is copied, signed and provable, and cannot be called back.

- Write ids and roles in place of names (\`MEMBER-07\`), and keep the list of who is who outside the ledger. Deleting an entry of
  that list is how you answer a request later. Write no personal data into \`topic\`, \`reasoning\`, \`outcome\`, \`message\` or an own member.
- These can be withheld: an event whose type stays a hash, or that has a member which is not listed here, is published in the log only as a hash with
  a random salt, from which nobody can guess it. It is still in the ledger, in the restricted export, and in files that follow from it.
- These cannot: lines that were published, files and pages of releases that others mirrored, the ids in them, and hashes. A
  ledger without the event has another root, and every verifier refuses it.
- On a request: record a correction without the personal data, so that current files and pages show that; delete the entry of your list;
  stop serving old snapshots and releases that hold the text; tell those who mirror you; and answer what remains and why. Histories keep the
  earlier row, marked as replaced.
- If the law requires that the row itself goes, end the ledger: begin a new one without the data, under a new name and key, publish a
  notice that says why, and take the old one offline. Proofs for the old one then no longer resolve here.

## JSON Schemas

A release has a JSON Schema (draft 2020-12) of the data of each type, \`/schemas/events/<type>.schema.json\`; of a whole line,
\`/${EVENT_LINE_SCHEMA_PATH}\`; and of an event as \`cathedral ledger append\` completes it, in which only \`type\`, \`agent\` and \`data\` are
required, \`/${EVENT_DRAFT_SCHEMA_PATH}\`. Each is one file that refers to no other, and its patterns mean the same in every language.
In these schemas, those of files and the OpenAPI description, members beyond JSON Schema begin with \`x-\`: \`x-unit\`, \`x-range\`, \`x-formula\`, \`x-effect\`.

They accept what the service accepts. What they cannot say is the order of events (\`seq\`, times that do not decrease, one genesis, the clock),
the length of a line (65,535 bytes), a member that occurs twice, and half a surrogate pair in an escape such as \`\\ud800\`; nor can they say
which numbers are refused: those that a double does not hold digit by digit, and whole numbers from 2^53 on.
`;

/** The text of docs/events.md. */
export function formatEventReference(): string {
  const rows = EVENT_TYPES.map(({ type, description }) => [`[\`${type}\`](#${type})`, description]);
  const list = ['', '## All types', '', ...formatTable(['type', 'what it records'], rows), ''];
  return INTRODUCTION + list.join('\n') + EVENT_TYPES.map(section).join('');
}

/** Whether anyone can read the events of a type in the log, as a sentence and the reason. */
export function describeDecision({ public: isPublic, reason }: Decision): string {
  return `${isPublic ? 'Published as a line' : 'Stays a hash'}. ${reason}`;
}

function section({ type, description, effect, fields, example, files, schema, decision }: EventType): string {
  const changed = files.length > 0 ? `Changes ${formatList(files.map(fileLink))}.` : 'Changes no other file.';
  return [
    ...['', `## ${code(type)}`, '', description, '', `**Effect.** ${effect}`, ''],
    ...[`**In the log.** ${describeDecision(decision)}`, '', ...memberTable(fields), ''],
    ...['```json', example, '```', '', `${changed} JSON Schema: \`/${schema}\`.`, ''],
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
