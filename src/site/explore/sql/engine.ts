import { AsyncDuckDB, type AsyncDuckDBConnection, VoidLogger } from '@duckdb/duckdb-wasm';
import { type DataType, type Decimal, Type } from 'apache-arrow';
import { inertCell } from '../../../../pipeline/artifacts/format/csv.ts';
import { momentText } from '../moment-text.ts';
import { LIMITS, MEMORY } from './limits.ts';

/** Below this name the engine may read: the tables' own files. */
const FOLDER = 'tables/';

const SETTINGS = [
  `memory_limit = '${MEMORY}'`,
  // Without extensions: they would be loaded from another host.
  'autoinstall_known_extensions = false',
  'autoload_known_extensions = false',
  `allowed_directories = ['${FOLDER}']`,
  'enable_external_access = false',
  'lock_configuration = true',
];

export interface QueryResult {
  columns: string[];
  /** Which of them have numbers. */
  numbers: ReadonlySet<number>;
  /** The first rows, as texts; null where there is no value. */
  shown: (string | null)[][];
  /** So far, if it was stopped. */
  rows: number;
  /** Why it was stopped; null: it is complete. */
  stopped: string | null;
  csv: Blob;
}

/** A slow phone needs a tenth of it. Where a browser or a host blocks WebAssembly, DuckDB's worker never answers. ms */
const START_MS = 30_000;

export type Engine = Awaited<ReturnType<typeof openEngine>>;

/** A database in the memory of a worker, which reads nothing but what it is given. `worker` and `wasm`: the addresses of DuckDB's own. */
export async function openEngine(worker: string, wasm: string) {
  const running = new Worker(worker);
  const { promise: failed, reject } = Promise.withResolvers<never>();
  const fail = (why: string) => {
    running.terminate();
    reject(new Error(`DuckDB does not start: ${why}.`));
  };
  running.addEventListener('error', ({ message }) => fail(message || `${worker} cannot be loaded`));
  const late = setTimeout(fail, START_MS, 'the browser, or the host of this page, may block WebAssembly');
  const database = new AsyncDuckDB(new VoidLogger(), running);
  await Promise.race([database.instantiate(wasm), failed]);
  clearTimeout(late);
  await database.open({ path: ':memory:' });
  const connection = await database.connect();
  for (const setting of SETTINGS) await connection.query(`SET ${setting}`);

  /** Makes a table from a CSV text with a header. `columns`: its SQL types; those with `isText` are never null. */
  async function addTable(
    name: string,
    csv: Uint8Array,
    columns: readonly { name: string; type: string; isText: boolean }[],
  ): Promise<void> {
    const file = `${FOLDER}${name}.csv`;
    const types = columns.map((column) => `${quoted(column.name)}: ${quoted(column.type)}`).join(', ');
    const texts = columns.filter(({ isText }) => isText).map((column) => quoted(column.name));
    await database.registerFileBuffer(file, csv);
    try {
      await connection.query(
        `CREATE OR REPLACE TABLE "${name}" AS SELECT * FROM read_csv(${quoted(file)}, auto_detect = false, header = true, delim = ',',
          quote = '"', escape = '"', new_line = '\\n', columns = {${types}}${texts.length > 0 ? `, force_not_null = [${texts.join(', ')}]` : ''})`,
      );
    } finally {
      await database.dropFile(file);
    }
  }

  /**
   * Runs a query, which is one statement for `tablesIn`, until it ends or reaches a limit. Throws with the engine's message, which has the
   * place, and CannotShow. Nothing that it makes changes what the next one gives, which follows from the files: a table or a macro of its own
   * is rolled back, and a variable or a prepared statement ends with its connection.
   */
  async function run(sql: string): Promise<QueryResult> {
    const own = await database.connect();
    try {
      await own.query('BEGIN TRANSACTION READ ONLY');
      return await resultOf(sql, own);
    } finally {
      // A statement that ends the transaction has made nothing.
      await own.query('ROLLBACK').catch(() => {});
      await own.close();
    }
  }

  async function resultOf(sql: string, own: AsyncDuckDBConnection): Promise<QueryResult> {
    const result: Omit<QueryResult, 'csv'> = {
      columns: [],
      numbers: new Set(),
      shown: [],
      rows: 0,
      stopped: null,
    };
    const parts: string[] = [];
    let bytes = 0;
    for await (const batch of await own.send(sql, true)) {
      const { fields } = batch.schema;
      if (parts.length === 0) {
        for (const { name, type } of fields) if (!isShown(type)) throw new CannotShow(name, type);
        result.columns = fields.map(({ name }) => name);
        result.numbers = new Set(fields.flatMap(({ type }, at) => (isNumber(type) ? [at] : [])));
        parts.push(csvLine(result.columns));
      }
      const vectors = fields.map((_, at) => batch.getChildAt(at)!);
      let text = '';
      for (let row = 0; row < batch.numRows; row += 1) {
        result.stopped = stopAt(result.rows, bytes);
        if (result.stopped !== null) break;
        const cells = vectors.map((vector, at) => formatCell(vector.get(row), fields[at]!.type));
        if (result.rows < LIMITS.shownRows)
          result.shown.push(cells.map((cell) => cell?.slice(0, LIMITS.cell) ?? null));
        const line = csvLine(cells);
        text += line;
        bytes += line.length;
        result.rows += 1;
      }
      parts.push(text);
      if (result.stopped !== null) break;
    }
    return { ...result, csv: new Blob(parts, { type: 'text/csv' }) };
  }

  /** The tables that a query names, in small letters, as the engine takes them in any. Throws where it cannot be parsed. */
  const tablesIn = async (sql: string) =>
    (await connection.getTableNames(sql)).map((name) => name.toLowerCase());
  return { version: await database.getVersion(), tablesIn, addTable, run };
}

/** Which limit a result has reached that has one more row; null: none. */
function stopAt(rows: number, bytes: number): string | null {
  if (bytes > LIMITS.bytes) return `${LIMITS.bytes >> 20} MB`;
  return rows < LIMITS.rows ? null : `${LIMITS.rows.toLocaleString('en-GB')} rows`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** What Arrow gives of such a column is not what it means: an interval without its days, an enum without its names. */
export class CannotShow extends Error {
  constructor(column: string, type: DataType) {
    super(
      `The column ${column} is of Arrow’s type ${type}. Cast it to text in the query: ${column}::VARCHAR.`,
    );
  }
}

const PLAIN: readonly Type[] = [
  ...[Type.Null, Type.Bool, Type.Int, Type.Float, Type.Decimal, Type.Utf8, Type.LargeUtf8],
  ...[Type.Date, Type.Timestamp],
];

function isShown({ typeId, children }: DataType): boolean {
  if (typeId === Type.List || typeId === Type.Struct) return children.every(({ type }) => isShown(type));
  return PLAIN.includes(typeId);
}

function isNumber({ typeId }: DataType): boolean {
  return typeId === Type.Int || typeId === Type.Float || typeId === Type.Decimal;
}

/** Without a value a cell is empty, and an empty text is quoted. */
function csvLine(cells: readonly (string | null)[]): string {
  const line = cells.map((cell) => {
    if (cell === null) return '';
    const text = String(inertCell(cell));
    return /[",\n\r]/.test(text) || text === '' ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${line.join(',')}\n`;
}

/** A value of Arrow as text: numbers with all their digits, times in ISO 8601. */
function formatCell(value: unknown, type: DataType): string | null {
  if (value === null || value === undefined) return null;
  if (type.typeId === Type.Decimal) return decimalText(value as Uint32Array, (type as Decimal).scale);
  if (type.typeId === Type.Date) return new Date(Number(value)).toISOString().replace(/T.*/, '');
  if (type.typeId === Type.Timestamp) return momentText(BigInt(Math.round(Number(value) * 1000)));
  const inner = type.children?.[0]?.type;
  if (type.typeId === Type.List && inner)
    return `[${[...(value as Iterable<unknown>)].map((one) => formatCell(one, inner) ?? 'NULL').join(', ')}]`;
  if (type.typeId === Type.Struct)
    // By place: the members of a tuple, as in `SELECT (a, b)`, have no names.
    return `{${[...(value as Iterable<[string, unknown]>)].map(([name, one], at) => `'${name}': ${formatCell(one, type.children[at]!.type) ?? 'NULL'}`).join(', ')}}`;
  return String(value);
}

/** 128 bits in four words, the least significant first; trailing zeros of the fraction are dropped. */
function decimalText(words: Uint32Array, scale: number): string {
  let value = 0n;
  for (const word of [...words].reverse()) value = (value << 32n) + BigInt(word);
  value = BigInt.asIntN(32 * words.length, value);
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, '0');
  const fraction = scale === 0 ? '' : digits.slice(-scale).replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${digits.slice(0, digits.length - scale)}${fraction && `.${fraction}`}`;
}
