/**
 * `node publisher-process.ts JSON`: one run of a publisher of a cluster, in a process of its own that tests stop, continue and kill. Prints
 * how it ended. `clockMs`: how far the clock of its machine is ahead.
 */
import { openObjectStore } from '../../pipeline/objects/object-store.ts';
import { openDatabase } from '../../pipeline/postgres/database.ts';
import { CREDENTIALS } from '../engines/object-store.ts';
import { type Machine, runMachine } from './publisher-machine.ts';

export interface PublisherProcess {
  machine: Machine;
  address: string;
  bucket: string;
  clockMs: number;
}

const { machine, address, bucket, clockMs } = JSON.parse(process.argv[2]!) as PublisherProcess;
const ownClock = Date.now;
Date.now = () => ownClock() + clockMs;

const database = await openDatabase(address, { application: 'a test', connections: 3, timeoutMs: 60_000 });
const objects = await openObjectStore(bucket, CREDENTIALS, { software: 'test', access: 'write' });
try {
  const means = { database, objects, switchDelayMs: 1000 };
  const { outcome, manifest } = await runMachine(machine, means, () => Date.now() + database.clock());
  console.log(JSON.stringify({ outcome, expires: manifest.signed!.expires }));
} catch (error) {
  console.log(JSON.stringify({ error: (error as Error).message }));
} finally {
  objects.close();
  await database.close();
}
