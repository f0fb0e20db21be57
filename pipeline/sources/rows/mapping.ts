import { hash } from 'node:crypto';
import { nearestName } from '../../config/nearest-name.ts';
import { givenText, readGiven } from '../../disk/read-given.ts';
import { CathedralError, errorOf, orNull } from '../../errors.ts';
import type { EventDraft, EventWarning } from '../../ledger/events/draft.ts';
import { isKnownType } from '../../ledger/events/event.ts';
import { isJsonObject, numberText } from '../../ledger/events/json.ts';
import { looksLike, shown } from '../../ledger/events/look-alikes.ts';
import {
  type CellFormat,
  convertCell,
  type Kind,
  type Member as MemberKind,
  memberOf,
} from './cell-value.ts';
import {
  eventsOf,
  isColumn,
  type MappingFile,
  parseMappingFile,
  type RowEvent,
  type Source,
} from './mapping-file.ts';

const misfit = errorOf('ledger_schema');

/** A row of a table: column → value. All values of CSV are texts. Missing, null and, mostly, an empty text mean: absent. */
export type Row = Readonly<Record<string, unknown>>;

/** How rows of one table become events. */
export interface Mapping {
  /** The columns that it reads. */
  columns: readonly string[];
  /** Tells mappings apart. */
  digest: string;
  /** How the file of the table is written, for CSV. */
  file: NonNullable<MappingFile['file']>;
  /** Whether a row may give several events. Sources have one for each row. */
  isWide: boolean;
  /**
   * The drafts of a row's events, in their order; none for a row that is left out. `place` names the row in errors. Throws `ledger_schema`,
   * with the column.
   */
  events(row: Row, place: () => string): EventDraft[];
  /** The row's id, also of a row that is left out; null if it has none. Throws `ledger_schema`. */
  idOf(row: Row, place: () => string): string | null;
  /** The column of a member of an event, `data.mii` or `agent`, for errors; null if it has none. */
  columnOf(type: string, member: string): string | null;
}

/** Reads a mapping file. Throws `config_invalid` with its path and a JSON pointer. */
export async function readMapping(path: string): Promise<Mapping> {
  return parseMapping(givenText(await readGiven(path, 'a readable mapping file'), path), path);
}

/** A mapping from the text of its file; `place` names the file. Throws `config_invalid`. */
export function parseMapping(text: string, place: string): Mapping {
  return compile(parseMappingFile(text, place));
}

/** Reads one value of a row; undefined if it is absent. */
interface Reader {
  column: string | null;
  columns: readonly string[];
  read(row: Row, member: MemberKind, name: string, place: () => string): unknown;
}

type Head = Record<'id' | 'timestamp' | 'type' | 'agent' | 'cycle', Reader>;

interface Member {
  /** In `data`: `statuses.GDPR`. */
  path: string;
  reader: Reader;
}

/** An event of a row, or one for each of some columns. */
interface Part {
  head: Head;
  /** All of `data`. */
  whole: Reader;
  /** Type of event → members of its data. */
  members: ReadonlyMap<string, readonly Member[]>;
  /** Of the types that `members` does not have. Null: those of the service that need no member, such as `heartbeat`. */
  others: readonly Member[] | null;
  each?: (NonNullable<RowEvent['each']> & { isEmpty(cell: unknown): boolean }) | undefined;
}

function compile(file: MappingFile): Mapping {
  const { decimal, thousands, currency, language, zone, ambiguous, missing = [] } = file;
  const defaults = { decimal, thousands, currency, language, zone, ambiguous };
  const empty = new Set(missing);
  const reader = (source: Source | undefined) =>
    source === undefined ? ABSENT : readerOf(source, defaults, empty);
  const membersOf = (sources: Record<string, Source>) =>
    Object.entries(sources).map(([path, source]) => ({ path, reader: reader(source) }));
  const parts = eventsOf(file).map((event): Part => {
    const { each, data } = event;
    const isEmpty = (cell: unknown) => cell === undefined || isNothing(cell, empty);
    return {
      head: headOf((name) => reader(name === 'id' ? file.id : event[name])),
      whole: ABSENT,
      members: new Map(Object.entries(data).map(([type, sources]) => [type, membersOf(sources)])),
      others: null,
      each: each && { ...each, isEmpty },
    };
  });
  return {
    ...mappingOf(parts, file.file, file.events !== undefined),
    digest: hash('sha256', JSON.stringify(file)),
  };
}

function headOf(reader: (name: keyof Head) => Reader): Head {
  return Object.fromEntries(HEAD.map((name) => [name, reader(name)])) as Head;
}

function mappingOf(parts: readonly Part[], file: Mapping['file'] = {}, isWide = false): Mapping {
  return {
    columns: [...new Set(parts.flatMap(columnsOf))],
    digest: '',
    file,
    isWide,
    events: (row, place) => parts.flatMap((part) => eventsOfPart(row, part, place)),
    idOf(row, place) {
      const { id } = parts[0]!.head;
      const value = id.read(row, plain('text'), 'id', place) ?? null;
      return value === null ? null : idText(value, () => `${place()}, column ${id.column}`);
    },
    columnOf: (type, member) =>
      parts.map((part) => columnOf(part, type, member)).find((column) => column !== null) ?? null,
  };
}

function columnsOf({ head: { id, ...head }, whole, members, others, each }: Part): string[] {
  const readers = [...members.values(), others ?? []].flat().map(({ reader }) => reader);
  const read = [...Object.values(head), whole, ...readers].flatMap(({ columns }) => columns);
  return [
    // Of the row, which `each` adds nothing to.
    ...id.columns,
    ...read.filter((column) => column !== each?.name && column !== each?.value),
    ...(each?.columns ?? []),
  ];
}

function columnOf({ head, whole, members, others }: Part, type: string, member: string): string | null {
  if (member in head) return head[member as keyof Head].column;
  if (member !== 'data' && !member.startsWith(MEMBER)) return null;
  const path = member.slice(MEMBER.length);
  // Of an item of a list, `virtue_tags.0`, the column of the list.
  const own = (members.get(type) ?? others)?.find((one) => `${path}.`.startsWith(`${one.path}.`));
  return own?.reader.column ?? whole.column;
}

function eventsOfPart(row: Row, part: Part, place: () => string): EventDraft[] {
  const { each } = part;
  if (!each) return mapRow(row, part, place);
  // A copy of the row for each column would take time with the square of their number.
  const cells: Record<string, unknown> = { ...row };
  return each.columns.flatMap((column) => {
    const cell = columnValue(row, column, place);
    if (each.isEmpty(cell)) return [];
    Object.assign(cells, { [each.name]: column, [each.value]: cell });
    return mapRow(cells, part, () => `${place()}, column ${column}`);
  });
}

const ABSENT: Reader = { column: null, columns: [], read: () => undefined };

const NONE: ReadonlySet<string> = new Set();

/** Whether a cell is empty, be it filled up with spaces, as programs write columns of a fixed width. */
function isNothing(cell: unknown, missing: ReadonlySet<string>): boolean {
  const text = typeof cell === 'string' ? cell.trim() : numberText(cell);
  // Looking up a long text takes as long as reading it, and few mappings name missing values.
  return text !== undefined && (text === '' || (missing.size > 0 && missing.has(text)));
}

/** `missing`: texts of cells that count as empty. */
function readerOf(source: Source, defaults: CellFormat, missing = NONE): Reader {
  if (typeof source === 'string') return readerOf({ column: source }, defaults, missing);
  if (!isColumn(source)) return { column: null, columns: [], read: () => source.constant };
  const columns = typeof source.column === 'string' ? [source.column] : source.column;
  const column = columns.join(', ');
  const { as, values, default: preset } = source;
  const how: CellFormat = { ...defaults, ...source };
  const replace = (value: unknown, place: () => string) =>
    values === undefined ? value : lookUp(value, values, place);
  return {
    column,
    columns,
    read(row, { kind, empty }, name, place) {
      const at = () => `${place()}, column ${column}`;
      const cell = cellOf(row, columns, at);
      if (cell === undefined) return preset;
      if (isNothing(cell, missing)) return preset !== undefined ? preset : empty;
      // The items of a list are looked up one by one.
      const isList = typeof kind === 'object' && values !== undefined;
      if (!isList && values !== undefined) return replace(cell, at);
      const own = kind === 'as it is' && as !== undefined ? OWN_KINDS[as] : null;
      const value = convertCell(cell, own?.kind ?? kind, how, name, at);
      // JSON and databases have values of another type than the mapping file says. Members of a schema are checked by it.
      if (own?.type && typeof value !== own.type)
        throw misfit(at(), `${name} to be ${own.expected}, as the mapping file says`, shortJson(value));
      return isList && Array.isArray(value) ? value.map((item) => replace(item, at)) : value;
    },
  };
}

/** What `as` makes of a member of no schema. Of JSON, any type is right. */
const OWN_KINDS = {
  text: { kind: 'text', type: 'string', expected: 'a text' },
  number: { kind: 'number', type: 'number', expected: 'a number' },
  truth: { kind: 'truth', type: 'boolean', expected: 'a truth value' },
  json: { kind: 'object', type: null, expected: 'JSON' },
} as const;

function cellOf(row: Row, columns: readonly string[], place: () => string): unknown {
  if (columns.length === 1) return columnValue(row, columns[0]!, place);
  const cells = columns
    .map((column) => columnValue(row, column, place))
    .filter((cell) => cell !== undefined && cell !== '')
    .map((cell) => numberText(cell) ?? cell);
  const other = cells.find((cell) => typeof cell === 'object');
  if (other !== undefined) throw misfit(place(), 'texts or numbers, to be joined', shortJson(other));
  return cells.length === 0 ? undefined : cells.join(' ');
}

/** Rows of JSON may lack a member; one that all of them lack is probably misspelt. */
export function absentColumn(column: string): EventWarning {
  const expected = `a row with ${JSON.stringify(column)}, which the mapping file names`;
  return { kind: 'member', expected, found: 'none' };
}

/** Whether a row has a column, be it empty. */
export function hasColumn(row: Row, column: string): boolean {
  return Object.hasOwn(row, column) || orNull(() => columnValue(row, column, () => column)) !== undefined;
}

/** A column, or in a row of JSON a member of a member: `vote.position`. Throws `ledger_schema`. */
function columnValue(row: Row, column: string, place: () => string): unknown {
  if (Object.hasOwn(row, column)) return row[column] ?? undefined;
  if (!column.includes('.')) return undefined;
  const names = column.split('.');
  let value: unknown = row;
  for (const [at, name] of names.entries()) {
    if (value === undefined || value === null || value === '') return undefined;
    // Mongo exports {"$numberLong": "5"} in one row, and 5 or {"$numberInt": "5"} in the next, which would be lost.
    const isList = Array.isArray(value) && /^\d+$/.test(name);
    const isOther = name.startsWith('$') && !Object.hasOwn(value, name);
    if (!isList && (!isJsonObject(value) || isOther))
      throw misfit(
        place(),
        `${names.slice(0, at).join('.')} to be an object, of which ${name} is a member`,
        shortJson(value),
      );
    value = Object.hasOwn(value, name) ? (value as Row)[name] : undefined;
  }
  return value ?? undefined;
}

function lookUp(value: unknown, values: Record<string, unknown>, place: () => string): unknown {
  const text = typeof value === 'string' ? value.trim() : JSON.stringify(value);
  if (Object.hasOwn(values, text)) return values[text];
  throw new CathedralError('ledger_schema', {
    place: place(),
    expected: `one of ${Object.keys(values).join(', ')}, as the mapping file lists`,
    found: shortJson(value),
  });
}

const shortJson = (value: unknown) => JSON.stringify(value).slice(0, 200);

const plain = (kind: Kind): MemberKind => ({ kind, empty: undefined });

/** One event, or none for a row that is left out. */
function mapRow(row: Row, { head, whole, members, others }: Part, place: () => string): EventDraft[] {
  const text = (name: keyof Head) => head[name].read(row, plain('text'), name, place);
  const type = text('type');
  if (type === null) return [];
  if (type === undefined) throw emptyRow(row, head.type.column, place);
  const timestamp = timeOf(row, head.timestamp, place);
  if (timestamp === null) return [];
  const own: unknown = whole.read(row, plain('object'), 'data', place) ?? {};
  const data = isJsonObject(own) ? { ...own } : own;
  const made = new Set([data]);
  for (const { path, reader } of members.get(`${type}`) ?? others ?? unlisted(type, head.type, place)) {
    const value = reader.read(row, memberOf(`${type}`, path), `data.${path}`, place);
    if (value === undefined) continue;
    const at = () => (reader.column === null ? place() : `${place()}, column ${reader.column}`);
    addMember(data, path.split('.'), value, { name: 'data', place: at, made });
  }
  const cycle = text('cycle');
  // What has the wrong type is refused when the draft is completed.
  const draft = { type, agent: text('agent'), data } as EventDraft;
  if (timestamp !== NOW) draft.timestamp = timestamp as string;
  if (cycle !== undefined) draft.cycle = cycle as string;
  return [draft];
}

/** The members of a type that a mapping file does not list. Of a misspelt one, all that its row says would be lost. */
function unlisted(type: unknown, { column }: Reader, place: () => string): readonly Member[] {
  if (typeof type !== 'string' || isKnownType(type)) return [];
  throw new CathedralError('ledger_schema', {
    place: column === null ? place() : `${place()}, column ${column}`,
    expected:
      'a type that "data" of the mapping file lists, with {} for one without members, or null in "values" of "type"',
    found: JSON.stringify(type),
  });
}

/** In a table without times, and as the default of a time: that of appending. */
const NOW = 'now';

/** Null leaves the row out. No row gets a time that nobody gave it: an empty cell is refused where there is a column of times. */
function timeOf(row: Row, reader: Reader, place: () => string): unknown {
  const time = reader.read(row, plain('time'), 'timestamp', place);
  if (time !== undefined) return time;
  if (reader.column === null) return NOW;
  throw new CathedralError('ledger_schema', {
    place: `${place()}, column ${reader.column}`,
    expected:
      'timestamp to be a time. In a mapping file, "default" of timestamp says what an empty cell means: null leaves the row out, "now" is the time of appending',
    found: 'nothing',
  });
}

/** The id of a row. Throws `ledger_schema` for an object, `{"$oid": …}`, of which a member has to be named. */
export function idText(id: unknown, place: () => string): string {
  const text = typeof id === 'string' ? id : numberText(id);
  if (text === undefined) throw misfit(place(), 'id to be a text or a number', JSON.stringify(id));
  return text;
}

function emptyRow(row: Row, column: string | null, place: () => string): CathedralError {
  const isEmpty = Object.values(row).every((value) => value === undefined || value === null || value === '');
  return new CathedralError('ledger_schema', {
    place: isEmpty || column === null ? place() : `${place()}, column ${column}`,
    expected: isEmpty ? 'a row with values: delete it from the table' : 'the type of an event',
    found: isEmpty ? 'only empty cells' : 'nothing',
  });
}

/**
 * Adds a member to data: of `statuses.GDPR`, the member GDPR of the member statuses. `name` says in errors what `data` is; `made` has the
 * objects that were made for this row, the others are copied: a constant of the mapping file is in all rows. Throws `ledger_schema` if there is
 * a value already: another column has it too, and one of the two would be lost.
 */
function addMember(
  data: unknown,
  [member = '', ...rest]: readonly string[],
  value: unknown,
  { name, place, made }: { name: string; place: () => string; made: Set<unknown> },
): void {
  const isObject = isJsonObject(data);
  const known = isObject && Object.hasOwn(data, member) ? data[member] : undefined;
  const path = `${name}.${member}`;
  if (!isObject || (rest.length === 0 && known !== undefined)) {
    const [whose, found] = isObject ? [path, known] : [name, data];
    throw new CathedralError('ledger_schema', {
      place: place(),
      expected: `${whose} from one column`,
      found: `${JSON.stringify(found).slice(0, 200)} from another one as well`,
    });
  }
  if (rest.length === 0) {
    data[member] = value;
    return;
  }
  const inner = isJsonObject(known) && !made.has(known) ? { ...known } : (known ?? {});
  made.add(inner);
  addMember(inner, rest, value, { name: path, place, made });
  data[member] = inner;
}

const HEAD = ['id', 'timestamp', 'type', 'agent', 'cycle'] as const;
const MEMBER = 'data.';

/**
 * The mapping of a table that is written for the ledger: columns id, timestamp, type, agent, cycle, and `data` (JSON) or `data.<member>`.
 * Throws `ledger_schema` for another column; `place` names the header.
 */
export function plainMapping(columns: readonly string[], place: string): Mapping {
  const known = [...HEAD, 'data'] as const;
  for (const column of columns) {
    if ((known as readonly string[]).includes(column) || column.startsWith(MEMBER)) continue;
    const near = nearestName(column, known);
    const expected =
      near === null ? `one of the columns ${known.join(', ')}, data.<member>` : `the column ${near}`;
    throw new CathedralError('ledger_schema', {
      place,
      expected: `${expected}, or a mapping file (--mapping) that says what the columns mean`,
      found: `the column ${shown(column)}`,
    });
  }
  const own = (column: string) => (columns.includes(column) ? readerOf(column, {}) : ABSENT);
  const members = columns.filter((column) => column.startsWith(MEMBER));
  return mappingOf([
    {
      head: headOf(own),
      whole: own('data'),
      members: new Map(),
      others: members.map((column) => ({ path: column.slice(MEMBER.length), reader: own(column) })),
    },
  ]);
}

/** Throws `config_invalid` if the mapping names a column that the table lacks; `place` names the table, `remedy` what to do where none is like it. */
export function assertColumns(
  mapping: Mapping,
  columns: readonly string[],
  place: string,
  remedy = '',
): void {
  // It would set the prototype of a row, and of what readers make of the event.
  const hidden = mapping.columns.find((column) => column.split('.').includes('__proto__'));
  if (hidden !== undefined) throw misfit(place, 'no column __proto__', JSON.stringify(hidden));
  const [column] = new Set(mapping.columns).difference(new Set(columns));
  if (column === undefined) return;
  const alike = columns.find((one) => looksLike(one) === looksLike(column));
  const near = alike ?? nearestName(column, columns);
  const all = columns.map((one) => shown(one)).join(', ');
  throw new CathedralError('config_invalid', {
    place,
    expected: `the column ${shown(column, near ?? '')}, which the mapping file names${near === null ? remedy : ''}`,
    found: near === null ? `the columns ${all}`.slice(0, 500) : `${shown(near, column)}, but not this one`,
  });
}
