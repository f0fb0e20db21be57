/** Imports the rows at an address: `import-rows.ts ADDRESS FOLDER`. */
import { importPostgres } from '../../sources/import/import-postgres.ts';
import { report } from '../child.ts';

const [address = '', folder = ''] = process.argv.slice(2);

await report(async () => {
  await importPostgres(address, folder);
});
