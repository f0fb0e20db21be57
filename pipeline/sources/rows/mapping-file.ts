import { z } from 'zod';
import { nearestName } from '../../config/nearest-name.ts';
import { type CathedralError, errorOf, orNull } from '../../errors.ts';
import { EVENT_DATA } from '../../ledger/events/event.ts';
import { EXACT_NUMBER, findInexact, JsonFault, readStrictJson } from '../../ledger/events/json.ts';
import { describeIssue } from '../../words/zod-messages.ts';
import { type Kind, memberOf } from './cell-value.ts';
import { formatFault, isLanguage, isTimeZone, needsZone } from './local-time.ts';

const wrong = errorOf('config_invalid');

const Name = z.string().min(1).max(200);
const Zone = z
  .string()
  .refine(isTimeZone, 'a time zone by its place, as Europe/Berlin or America/New_York are, or UTC');
const Format = z.string().superRefine((format, context) => {
  const fault = formatFault(format);
  if (fault !== null)
    context.addIssue({
      code: 'custom',
      message: `excel, unix, unix-ms, unix-us or a pattern like dd.MM.yyyy HH:mm, with ${fault}`,
    });
});
const Character = z.string().length(1);

const Numbers = {
  decimal: z
    .enum(['.', ','])
    .optional()
    .describe('The character before the fraction of a number. Default: "."'),
  thousands: z
    .enum(['.', ',', ' ', "'", '’', '\u00a0', '\u202f'])
    .optional()
    .describe('The character between groups of three digits; a space is any kind of space. Default: none'),
  currency: z
    .string()
    .max(10)
    // Digits and signs are those of numbers: "1" would make 15 a 5.
    .regex(/^(?=.*[\p{L}\p{Sc}%‰])[^\d+\-−]+$/u, 'a currency, such as "$" or "EUR"')
    .optional()
    .describe('What stands before or after numbers: "$", "€", "EUR". Default: nothing'),
};
const Scale = z
  .int()
  .min(1)
  .max(18)
  .optional()
  .describe(
    'How many places the point of a number moves to the left: with 2, 12345 cents are 123.45. Default: none',
  );
const Times = {
  language: z
    .string()
    .refine(isLanguage, 'a language like en, de or pt-BR')
    .optional()
    .describe(
      'The language of the names of months, which are those of the Gregorian calendar. Default: English',
    ),
  zone: Zone.optional().describe('The IANA time zone of times without an offset from UTC: "Europe/Berlin"'),
  ambiguous: z
    .enum(['earlier', 'later'])
    .optional()
    .describe(
      'Which time is meant where clocks are set back and an hour occurs twice. Default: such a time is refused',
    ),
};

const ColumnSource = z.strictObject({
  column: z
    .union([Name, z.array(Name).min(1).max(10)])
    .describe(
      'A column. Of several, the texts are joined with a space: a day and a time. In JSON, `vote.by` is a member of a member, and `vote` an object where it is there',
    ),
  values: z
    .record(z.string(), z.json())
    .optional()
    .describe('Text of a cell → value. A text that is not in the table is refused'),
  default: z.json().optional().describe('The value of an absent or empty cell'),
  as: z
    .enum(['text', 'number', 'truth', 'json'])
    .optional()
    .describe('The kind of value of a member that the event type does not define'),
  separator: z
    .string()
    .min(1)
    .max(10)
    .optional()
    .describe('What separates the items of a list. Default: "|", or a JSON array'),
  format: Format.optional().describe(
    'How a time or a day is written: `excel`, `unix` (seconds, 9 to 11 digits), `unix-ms` (12 to 14 digits), `unix-us` (15 to 17, as in a journal), or a pattern of `yyyy`, `yy` (2000 to 2099), `MM`, `M`, `MMM` or `MMMM` (a name, or so much of it that it can be no other), `EEE` (a weekday, which is not read), `dd`, `d` (without a day, the first of the month), `HH`, `H`, `h` with `a` (am or pm), `mm`, `ss`, `SSS` or `SSSSSS`, `XXX` (an offset, `Z`, `UTC` or `GMT+2`) and other text in single quotes. Default: ISO 8601',
  ),
  scale: Scale,
  ...Numbers,
  ...Times,
});
const ConstantSource = z.strictObject({ constant: z.json().describe('The same value for each row') });
const Source = z
  .union([Name.describe('A column'), ColumnSource, ConstantSource])
  .meta({ id: 'source', description: 'Where a value comes from' });
export type Source = z.infer<typeof Source>;

const MemberName = Name.refine((name) => !name.split('.').includes('__proto__'), 'a path without __proto__');
const TypeName = z.string().regex(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/, 'a snake_case token');

const Head = {
  timestamp: Source.optional().describe(
    'When it happened. Missing: the time of appending. An empty cell is refused, unless `default` is null, which leaves the row out, or "now", the time of appending',
  ),
  type: Source.optional().describe('The type of event. Null in `values`, or as `default`, leaves a row out'),
  agent: Source.optional().describe('Who reports it'),
  cycle: Source.optional().describe('Missing: the cycle of the day'),
  data: z
    .record(TypeName, z.record(MemberName, Source))
    .optional()
    .describe(
      'Event type → member of its data → where it comes from. `statuses.GDPR` is a member of a member. A type of your own without members has {}',
    ),
};
const RowEvent = z.strictObject({
  each: z
    .strictObject({
      columns: z
        .array(Name)
        .min(1)
        .max(1000)
        .describe('The columns, of which each cell that is not empty gives an event'),
      name: MemberName.describe('Sources of this event find the name of the column under this name'),
      value: MemberName.describe('and the cell under this one'),
    })
    .optional()
    .describe('One event for each of some columns, such as a column for each voter'),
  ...Head,
});

/** The format of a mapping file. */
export const MappingFile = z.strictObject({
  $schema: z.string().optional().describe('The address of this schema, for editors'),
  description: z.string().optional().describe('For those who read the file'),
  file: z
    .strictObject({
      encoding: z
        .string()
        .refine(
          isEncoding,
          'an encoding by its name in browsers, like windows-1252, iso-8859-2, shift_jis, gbk or macintosh',
        )
        .optional()
        .describe('Its encoding, such as windows-1252. Default: UTF-8, or UTF-16 with a byte order mark'),
      delimiter: Character.optional().describe(
        'What separates the cells of a line. Default: found in the first line',
      ),
      header: z
        .int()
        .min(1)
        .max(1000)
        .optional()
        .describe('The line with the names of the columns, below lines of titles. Default: the first'),
    })
    .optional()
    .describe('How a CSV file is written'),
  ...Numbers,
  ...Times,
  missing: z
    .array(z.string().min(1).max(100))
    .max(100)
    .optional()
    .describe('Texts of cells that count as empty, such as "NA"'),
  id: Source.optional().describe(
    'What identifies a row in its table. A source needs it; `ledger append` does not',
  ),
  ...Head,
  events: z
    .array(RowEvent)
    .min(1)
    .max(100)
    .optional()
    .describe('Several events for each row, in this order. Each takes what it does not state from the file'),
});
export type MappingFile = z.infer<typeof MappingFile>;

/** The JSON Schema of a mapping file, docs/mapping.schema.json. */
export function formatMappingSchema(): string {
  const schema = z.toJSONSchema(MappingFile);
  return `${JSON.stringify(schema, null, 2)}\n`;
}

/** The content of a mapping file; `place` names the file. Throws `config_invalid`. */
export function parseMappingFile(text: string, place: string): MappingFile {
  const parsed = MappingFile.safeParse(parseJson(text, place));
  if (!parsed.success) throw issueFault(parsed.error.issues[0]!, parseJson(text, place), place);
  assertSense(parsed.data, place);
  return parsed.data;
}

function parseJson(text: string, place: string): unknown {
  try {
    const value = readStrictJson(text, { maxDepth: 64, hazards: 'refuse', numbers: 'kept' });
    const inexact = findInexact(value);
    if (inexact) throw wrong(`${place}#${pointer(inexact.path)}`, EXACT_NUMBER, inexact.text);
    return value;
  } catch (fault) {
    if (!(fault instanceof JsonFault)) throw fault;
    const line = text.slice(0, fault.range.start).split('\n').length;
    throw wrong(`${place}:${line}`, `JSON, with ${fault.expectedHere}`, fault.found, fault);
  }
}

function isEncoding(label: string): boolean {
  return orNull(() => new TextDecoder(label)) !== null;
}

function issueFault(issue: z.core.$ZodIssue, value: unknown, place: string): CathedralError {
  const { inner, path } = innermost(issue, []);
  let at = value;
  for (const key of path) at = (at as Record<PropertyKey, unknown> | undefined)?.[key];
  const wrongPart = inner.code === 'invalid_key' ? path.at(-1) : at;
  const shown = inner.code === 'unrecognized_keys' ? inner.keys.join(', ') : JSON.stringify(wrongPart);
  const found = at === undefined ? 'nothing' : `${shown}`.slice(0, 200);
  const where = path.length === 0 ? place : `${place}#${pointer(path)}`;
  return wrong(where, expectedBy(inner, path), found);
}

const MEMBERS = [MappingFile, RowEvent, ColumnSource, ConstantSource].flatMap(({ shape }) =>
  Object.keys(shape),
);

function expectedBy(issue: z.core.$ZodIssue, path: readonly PropertyKey[]): string {
  // Below "data" one may look for members of events, and finds types.
  if (issue.code === 'invalid_type' && path.at(-2) === 'data') {
    const type = String(path.at(-1));
    return `the members of events of the type ${type}, {"member": "column"}: "data" has an object for each type`;
  }
  // A member in the wrong place is not misspelt.
  const unknown =
    issue.code === 'unrecognized_keys' ? issue.keys.find((key) => !MEMBERS.includes(key)) : undefined;
  const near = unknown === undefined ? null : nearestName(unknown, MEMBERS);
  return near === null ? describeIssue(issue) : `the member ${near}, or none`;
}

/** Of a union, the issue of the option that comes nearest: the one whose own type fits. */
function innermost(
  issue: z.core.$ZodIssue,
  before: readonly PropertyKey[],
): { inner: z.core.$ZodIssue; path: PropertyKey[] } {
  const path = [...before, ...issue.path];
  if (issue.code !== 'invalid_union') return { inner: issue, path };
  const options = issue.errors.filter(
    ([first]) => first && !(first.code === 'invalid_type' && first.path.length === 0),
  );
  // {"column": …} is meant unless a constant is given.
  const near = options.sort((a, b) => a.length - b.length)[0]?.[0] ?? issue.errors[0]?.[0];
  return near ? innermost(near, path) : { inner: issue, path };
}

/** RFC 6901. */
function pointer(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** One event of a row. */
export type RowEvent = z.infer<typeof RowEvent> & { type: Source; agent: Source; data: Data };
type Data = Record<string, Record<string, Source>>;

/** The events of a row, each with all that the file says. */
export function eventsOf({ events = [{}], timestamp, type, agent, cycle, data }: MappingFile): RowEvent[] {
  return events.map((event) => ({ timestamp, type, agent, cycle, data, ...event }) as RowEvent);
}

/** What a schema cannot say: an event is whole, types and members have near known names, and times have a zone. */
function assertSense(file: MappingFile, place: string): void {
  const { decimal = '.', thousands, zone, events } = file;
  if (decimal === thousands)
    throw wrong(`${place}#/thousands`, 'another character than "decimal"', JSON.stringify(thousands));
  eventsOf(file).forEach((event, index) => {
    const own = events === undefined ? [] : ['events', index];
    const missing = (['type', 'agent', 'data'] as const).find((name) => event[name] === undefined);
    if (missing !== undefined)
      throw wrong(own.length === 0 ? place : `${place}#${pointer(own)}`, `the member ${missing}`, 'nothing');
    // A member that the event does not have is that of the file.
    const at = (name: string, ...more: PropertyKey[]) =>
      `${place}#${pointer([...(Object.hasOwn(events?.[index] ?? {}, name) ? own : []), name, ...more])}`;
    assertEventSense(event, zone, at);
  });
  if (file.id !== undefined) assertUsed(file.id, 'text', `${place}#/id`);
}

const HEAD_KINDS = [
  ['timestamp', 'time'],
  ['type', 'text'],
  ['agent', 'text'],
  ['cycle', 'text'],
] as const;

function assertEventSense(
  event: RowEvent,
  zone: string | undefined,
  at: (name: string, ...more: PropertyKey[]) => string,
): void {
  const { type, data } = event;
  for (const [name, sources] of Object.entries(data)) {
    const near = Object.hasOwn(EVENT_DATA, name) ? null : nearestName(name, Object.keys(EVENT_DATA));
    if (near !== null) throw wrong(at('data', name), `the type ${near}, or one of your own`, name);
    for (const [member, source] of Object.entries(sources)) {
      assertZone(source, zone, at('data', name, member));
      assertUsed(source, memberOf(name, member).kind, at('data', name, member));
    }
  }
  for (const [name, kind] of HEAD_KINDS) {
    const source = event[name];
    if (source === undefined) continue;
    assertZone(source, zone, at(name));
    assertUsed(source, kind, at(name));
  }
  const values = isColumn(type) ? Object.entries(type.values ?? {}) : [];
  for (const [text, value] of values)
    if (value !== null && !TypeName.safeParse(value).success)
      throw wrong(at('type', 'values', text), 'a type in snake_case, or null', JSON.stringify(value));
  if (!isColumn(type) && typeof type === 'object' && !TypeName.safeParse(type.constant).success)
    throw wrong(at('type', 'constant'), 'a type in snake_case', JSON.stringify(type.constant));
}

function assertZone(source: Source, zone: string | undefined, place: string): void {
  if (!isColumn(source) || source.format === undefined || !needsZone(source.format)) return;
  if (source.zone === undefined && zone === undefined)
    throw wrong(place, 'a "zone", here or at the top of the file', `the format ${source.format} alone`);
}

/** What a value has to be so that members of its column say something about it. */
const ABOUT = {
  number: ['scale', ...Object.keys(Numbers)],
  time: ['format', ...Object.keys(Times)],
  list: ['separator'],
};

/** Otherwise cents would be published as they are, in spite of their "scale". */
function assertUsed(source: Source, kind: Kind, place: string): void {
  if (!isColumn(source)) return;
  const isList = typeof kind === 'object';
  const value = isList ? kind.items : kind;
  const isNumber =
    value === 'amount' || value === 'number' || (value === 'as it is' && source.as === 'number');
  const isUsed = { number: isNumber, time: value === 'time' || value === 'day', list: isList };
  for (const about of ['number', 'time', 'list'] as const)
    for (const name of ABOUT[about])
      if (!isUsed[about] && Object.hasOwn(source, name))
        throw wrong(
          `${place}/${name}`,
          `a ${about}, to which it applies${about === 'number' ? ' ("as": "number" in a member of your own)' : ''}`,
          'a value of another kind, which it would not change',
        );
}

export type ColumnSource = z.infer<typeof ColumnSource>;

export function isColumn(source: Source): source is ColumnSource {
  return typeof source === 'object' && 'column' in source;
}
