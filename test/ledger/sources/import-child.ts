/** Imports the rows at an address into a folder: a process that a test can kill. */
import { importPostgres } from './import-postgres.ts';

const [address = '', folder = ''] = process.argv.slice(2);
await importPostgres(address, folder);
