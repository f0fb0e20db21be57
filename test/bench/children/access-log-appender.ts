/** Appends to the access log of a database: `access-log-appender.ts STORE CALLERS START SECONDS`, START in ms since 1970. Prints the entries a second. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../../pipeline/postgres/database.ts';
import { openLogIn } from '../../../src/sidecar/access-log/access-log.ts';
import { sampleAccess } from '../../sidecar/access-log/sample-access.ts';

const [store = '', callers = '', start = '', seconds = ''] = process.argv.slice(2);
const database = await openDatabase(store, { application: 'bench', connections: 4, timeoutMs: 30_000 });
const log = openLogIn(database);
await log.check();
await sleep(Math.max(0, Number(start) - Date.now()));
const end = performance.now() + Number(seconds) * 1000;
let entries = 0;
const append = async () => {
  while (performance.now() < end) {
    await log.append(sampleAccess(entries));
    entries += 1;
  }
};
await Promise.all(Array.from({ length: Number(callers) }, append));
await log.close();
await database.close();
console.log(
  JSON.stringify({ ms: Number(seconds) * 1000, rss: 0, entriesPerSecond: entries / Number(seconds) }),
);
