/** Imports the rows at an address into a folder, at a time in ms, until it is killed. */
import { importPostgres } from './import-postgres.ts';

const [address = '', folder = '', now] = process.argv.slice(2);
await importPostgres(address, folder, { now: () => Number(now), withhold: true });
