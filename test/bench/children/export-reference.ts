/** `export-reference.ts CSV FOLDER [WHERE]`: DuckDB copies rows of its own table into a CSV file; the table was made from CSV. */
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

const [, , csv, folder, where = 'true'] = process.argv;
const database = await DuckDBInstance.create(join(folder!, 'reference.duckdb'));
const connection = await database.connect();
await connection.run(`CREATE TABLE IF NOT EXISTS events AS FROM read_csv('${csv}', header = true, all_varchar = true)`);
const target = join(folder!, 'reference.csv');
const start = performance.now();
await connection.run(`COPY (FROM events WHERE ${where}) TO '${target}' (HEADER)`);
const ms = performance.now() - start;
const rows = await connection.runAndReadAll(`SELECT count(*) FROM events WHERE ${where}`);
console.error(`  reference: ${rows.getRows()[0]![0]} rows`);
connection.closeSync();
console.log(JSON.stringify({ ms, rss: process.resourceUsage().maxRSS / 1024 }));
