import pg from 'pg';
import { CathedralError, errorOf } from '../../errors.ts';
import { assertColumns, type Mapping, plainMapping } from '../rows/mapping.ts';
import type { PostgresAddress } from './address.ts';

const failed = errorOf('import_failed');

export interface Column {
  name: string;
  /** The type's name, `timestamp with time zone`. */
  type: string;
  /** pg_type.typcategory: N for numbers, S for texts, D for times, E for enumerations. */
  category: string;
  /** How to select it. */
  sql: string;
}

/** The rows of an address: how to select and to order them. */
export interface Relation {
  /** What stands after FROM. */
  from: string;
  /** The columns that the mapping reads. */
  columns: Column[];
  mapping: Mapping;
  /** The column of the id, and that of the time. */
  id: Column;
  timestamp: Column;
  /** SQL of the key by which rows are ordered and compared: the id, or the time and the id. */
  order: string[];
  /** SQL of the time, if the database knows which moment it is. */
  instant: string | null;
  time: string;
  /** The table's oid; null for a view or a query. */
  oid: string | null;
  /** Whether the server shows the open transactions that write the rows: a table, not on a standby server, and not a replica of another table. */
  showsWriters: boolean;
}

export type Query = (sql: string, values?: unknown[]) => Promise<pg.QueryResult>;

/** A table, a partitioned table. */
const TABLES = ['r', 'p'];
const WHOLE_NUMBERS = ['smallint', 'integer', 'bigint'];
const INSTANT = 'timestamp with time zone';

/** Finds the relation of an address and checks its columns. Throws `import_failed` or `config_invalid`. */
export async function findRelation(
  query: Query,
  { rows, name: place, order: wanted }: PostgresAddress,
  given: Mapping | null,
): Promise<Relation> {
  const table = 'table' in rows ? await findTable(query, rows, place) : null;
  const from = table?.from ?? `(${(rows as { query: string }).query}\n) AS source_rows`;
  const all = await columnsOf(query, from);
  const names = all.map(({ name }) => name);
  const mapping = given ?? orImportFailed(() => plainMapping(names, place));
  assertColumns(mapping, names, place);
  const column = (name: string | null, what: string) => {
    const found = all.find((one) => one.name === name);
    if (found) return found;
    throw failed(place, `a column for the ${what} of a row`, name === null ? 'none' : `the columns ${name}`);
  };
  const id = column(mapping.columnOf('', 'id'), 'id');
  const timestamp = column(mapping.columnOf('', 'timestamp'), 'timestamp');
  const isTable = table !== null && TABLES.includes(table.kind);
  const showsWriters = isTable && !(await isReplica(query, table.oid));
  const isNumbered = WHOLE_NUMBERS.includes(id.type);
  const byTime = wanted === null ? !isNumbered : wanted === 'timestamp';
  const needsInstant = byTime || !showsWriters;
  if (needsInstant && timestamp.type !== INSTANT) throw noInstant(place, timestamp, id, byTime);
  if (!/^[NSUE]$/.test(id.category) || /^(real|double precision)$/.test(id.type))
    throw failed(`${place}, column ${id.name}`, 'an id: a whole number, a UUID or a text', id.type);
  const idKey = id.category === 'S' ? `${quoted(id.name)} COLLATE "C"` : quoted(id.name);
  const time = quoted(timestamp.name);
  const relation: Relation = {
    from,
    columns: all.filter(({ name }) => mapping.columns.includes(name)),
    mapping,
    id,
    timestamp,
    order: byTime ? [time, idKey] : [idKey],
    instant: timestamp.type === INSTANT ? time : null,
    time,
    oid: table?.oid ?? null,
    showsWriters,
  };
  await assertIds(query, relation, isTable ? table : null, place);
  return relation;
}

/** Whether rows are written on another server: this one is a standby, or the table or a partition of it is one of a subscription. */
async function isReplica(query: Query, oid: string): Promise<boolean> {
  const { rows } = await query(
    'SELECT pg_is_in_recovery() OR EXISTS (SELECT FROM pg_subscription_rel WHERE srrelid = $1 OR srrelid IN (SELECT relid FROM pg_partition_tree($1::oid)) OR srrelid IN (SELECT relid FROM pg_partition_ancestors($1::oid))) AS replica',
    [oid],
  );
  return rows[0].replica;
}

interface Table {
  oid: string;
  kind: string;
  from: string;
}

async function findTable(
  query: Query,
  { schema, table }: { schema: string | null; table: string },
  place: string,
): Promise<Table> {
  const from = schema === null ? quoted(table) : `${quoted(schema)}.${quoted(table)}`;
  const { rows } = await query(
    'SELECT oid::text, relkind FROM pg_class WHERE oid = to_regclass($1) AND relkind = ANY($2)',
    [from, ['r', 'p', 'v', 'm', 'f']],
  );
  if (rows[0]) return { oid: rows[0].oid, kind: rows[0].relkind, from };
  throw failed(place, 'a table or view of the database', `none named ${from}`);
}

async function columnsOf(query: Query, from: string): Promise<Column[]> {
  const { fields } = await query(`SELECT * FROM ${from} LIMIT 0`);
  const { rows } = await query(
    'SELECT oid::bigint::float8 AS oid, format_type(oid, NULL) AS type, typcategory AS category FROM pg_type WHERE oid = ANY($1)',
    [fields.map(({ dataTypeID }) => dataTypeID)],
  );
  return fields.map(({ name, dataTypeID }) => {
    const { type, category } = rows.find(({ oid }) => oid === dataTypeID)!;
    // A list or a record becomes JSON, since its text has a form of its own; blanks at the end of character(n) say nothing.
    const isJson = category === 'A' || category === 'C';
    const text = type === 'character' ? `${quoted(name)}::text` : quoted(name);
    const sql = isJson ? `to_json(${quoted(name)})` : text;
    return { name, type, category, sql };
  });
}

/** Each row must have an id and a time, and no two of a table the same id: `assertOnce` of its view finds those of others, and of partitions. */
async function assertIds(
  query: Query,
  relation: Relation,
  table: Table | null,
  place: string,
): Promise<void> {
  const { from, id, timestamp, order } = relation;
  if (table) {
    // The key of a partitioned table contains the columns of its partitions.
    const { rows } = await query(
      "SELECT 1 FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey::int2[]) WHERE i.indrelid = $1::oid AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND a.attname = $2 AND (i.indnkeyatts = 1 OR $3 = 'p')",
      [table.oid, id.name, table.kind],
    );
    if (rows.length === 0)
      throw failed(
        `${place}, column ${id.name}`,
        'a primary key or a unique index on this column alone',
        'none, so that ids may repeat',
      );
  }
  for (const column of [id, timestamp]) {
    const key = quoted(column.name);
    // In the order of times, it would wait for ever.
    const never = column === timestamp && order.length > 1 ? ` OR ${key} = 'infinity'` : '';
    const { rows } = await query(
      `SELECT ${quoted(id.name)}::text AS id, ${key}::text AS value FROM ${from} WHERE ${key} IS NULL${never} LIMIT 1`,
    );
    if (rows[0])
      throw failed(
        `${place}, ${rows[0].id === null ? 'a row without id' : `row ${rows[0].id}`}, column ${column.name}`,
        rows[0].value === null ? 'a value' : 'a time that comes',
        rows[0].value ?? 'NULL',
      );
  }
}

function noInstant(place: string, { name, type }: Column, id: Column, byTime: boolean): CathedralError {
  const why = byTime
    ? `, because rows with ${id.type} ids are followed in the order of their time`
    : ', because rows of a view, a query, a standby server or a logical replica are followed when they have a certain age';
  const how =
    type === 'timestamp without time zone' || type === 'date'
      ? `; a query can convert it: ${quoted(name)} AT TIME ZONE 'Europe/Berlin'`
      : '';
  return failed(`${place}, column ${name}`, `${INSTANT}${why}`, `${type}${how}`);
}

/** `plainMapping` refuses a column as it refuses one of a file. */
function orImportFailed<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof CathedralError)) throw error;
    throw new CathedralError('import_failed', { ...error, cause: error });
  }
}

function quoted(name: string): string {
  return pg.escapeIdentifier(name);
}
