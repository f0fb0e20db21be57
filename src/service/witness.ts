import { once } from 'node:events';
import { join } from 'node:path';
import type { Config } from '../../pipeline/config/settings.ts';
import { takeLock } from '../../pipeline/disk/lock.ts';
import { readGiven } from '../../pipeline/disk/read-given.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { type Cosigner, formatVerifierKey, type Signer } from '../../pipeline/ledger/notes/note.ts';
import { parseWitnessPolicy } from '../../pipeline/ledger/notes/witness-policy.ts';
import { type FollowedLog, Witness } from '../../pipeline/witness/witness.ts';
import { createWitnessKeys, readWitnessKeys } from '../../pipeline/witness/witness-keys.ts';
import { witnessServer } from '../../pipeline/witness/witness-server.ts';
import { counted } from '../../pipeline/words/number.ts';
import { addressOf, closeServer, listenOn } from '../sidecar/server-address.ts';

interface WitnessConfig extends Pick<Config, 'host' | 'port' | 'grace'> {
  /** The folder of its record, and the file of the logs that it follows. */
  state: string;
  logs: string;
  /** The file of its keys; null: `witness.key` in the folder. */
  key: string | null;
  /** The name of a key that does not exist yet. */
  name: string | null;
}

interface Witnessing {
  now: () => number;
  progress: { note(line: string): void; fault(line: string): void };
  print: (line: string) => void;
}

/** Runs a witness until `signal` aborts. Throws config_invalid, locked and usage. */
export async function runWitness(
  { state, logs: logsFile, key, name, host, port, grace }: WitnessConfig,
  { now, progress, print }: Witnessing,
  signal: AbortSignal,
): Promise<void> {
  const logs = await readLogs(logsFile);
  const keyFile = key ?? join(state, 'witness.key');
  // Before there is a folder.
  await readOwnKeys(keyFile, name);
  using _ = await takeLock(state, { waitMs: 0, holder: `witness, process ${process.pid}` });
  const keys = (await readOwnKeys(keyFile, name)) ?? (await createWitnessKeys(keyFile, name!, now()));
  const witness = await Witness.open({ folder: join(state, 'logs'), keys, logs, now, log: progress.note });
  const report = (error: Error) => progress.fault(error.message);
  const server = witnessServer({ witness, about: describe(keys, logs), report });
  await listenOn(server, { host, port });
  for (const { verifier } of keys) print(`Verifier key: ${formatVerifierKey(verifier)}`);
  print(`Witnessing ${counted(logs.length, 'log')} at ${addressOf(host, server)}`);
  if (!signal.aborted) await once(signal, 'abort');
  await closeServer(server, grace * 1000);
}

/** Null where they have to be made. Throws usage for keys that nobody has named. */
async function readOwnKeys(path: string, name: string | null): Promise<Signer<Cosigner>[] | null> {
  const keys = await readWitnessKeys(path);
  if (!keys) {
    if (name !== null) return null;
    const expected = 'a name for the key, which does not exist yet';
    throw new CathedralError('usage', {
      place: '--witness-name',
      expected,
      found: `nothing, and no file ${path}`,
    });
  }
  const other = keys.find(({ verifier }) => name !== null && verifier.name !== name);
  if (!other) return keys;
  throw new CathedralError('config_invalid', {
    place: '--witness-name',
    expected: `${other.verifier.name}, as in ${path}`,
    found: name!,
  });
}

/** Throws config_invalid. */
async function readLogs(path: string): Promise<FollowedLog[]> {
  const bytes = await readGiven(path, 'a readable policy');
  const byOrigin = Map.groupBy(
    parseWitnessPolicy(bytes, path).logs.map(({ key }) => key),
    (key) => key.name,
  );
  if (byOrigin.size > 0) return [...byOrigin].map(([origin, keys]) => ({ origin, keys }));
  const expected = 'at least one line “log <verifier key>”';
  throw new CathedralError('config_invalid', { place: path, expected, found: 'none' });
}

/** For operators who look at its address, as lines of a policy. */
function describe(keys: readonly Signer<Cosigner>[], logs: readonly FollowedLog[]): string {
  const own = keys.map(({ verifier }) => formatVerifierKey(verifier));
  const followed = logs.map(({ origin }) => origin);
  return `A witness (c2sp.org/tlog-witness)\n\nVerifier keys:\n${own.join('\n')}\n\nLogs:\n${followed.join('\n')}\n`;
}
