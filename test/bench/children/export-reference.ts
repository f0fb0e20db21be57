/** `export-reference.ts CSV FOLDER WHERE`: DuckDB copies rows of its own table, which was made from CSV, into a file. */
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { peakMb } from '../child.ts';

const [, , csv, folder, where] = process.argv;
const database = await DuckDBInstance.create(join(folder!, 'reference.duckdb'));
const connection = await database.connect();
const source = `read_csv('${csv}', header = true, all_varchar = true)`;
await connection.run(`CREATE TABLE IF NOT EXISTS events AS FROM ${source}`);
const copy = `COPY (FROM events WHERE ${where}) TO '${join(folder!, 'reference.csv')}' (HEADER)`;
// Once before, for what is read from the disk and made ready.
await connection.run(copy);
const start = performance.now();
const { rowsChanged } = await connection.run(copy);
const ms = performance.now() - start;
console.error(`  reference: ${rowsChanged} rows`);
console.log(JSON.stringify({ ms, rss: peakMb() }));
