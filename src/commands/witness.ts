import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from '../../pipeline/config/setting.ts';
import { keyName } from '../../pipeline/config/settings/publishing.ts';
import { takeLock } from '../../pipeline/disk/lock.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { formatCosignerKey } from '../../pipeline/ledger/notes/cosignature.ts';
import type { CosigningKey } from '../../pipeline/ledger/notes/cosigning-key.ts';
import { parseWitnessPolicy } from '../../pipeline/ledger/notes/witness-policy.ts';
import { type FollowedLog, Witness } from '../../pipeline/witness/witness.ts';
import { createWitnessKeys, readWitnessKeys } from '../../pipeline/witness/witness-keys.ts';
import { witnessServer } from '../../pipeline/witness/witness-server.ts';
import { addressOf, closeServer, listenOn } from '../sidecar/server-address.ts';
import { defineCommand } from './command.ts';

export const witness = defineCommand({
  summary:
    'Runs a witness: cosigns the checkpoints of other publishers’ logs, each only if it extends the one before.',
  details:
    'It speaks the protocol of c2sp.org/tlog-witness, and makes its key when it first starts. Give its verifier key, which it prints, to publishers and readers. docs/witnesses.md describes the operation.',
  examples: [
    'cathedral witness --state /srv/witness --logs logs.policy --witness-name witness.example.org/w1',
  ],
  isService: true,
  settings: ['host', 'port', 'grace'],
  flags: {
    state: {
      flag: 'state',
      default: null,
      required: true,
      unit: 'a folder',
      description:
        'Where the witness records the last checkpoint of each log that it cosigned. Never replace it with an older copy: the witness would cosign a second history.',
      path: true,
      schema: text,
    },
    logs: {
      flag: 'logs',
      default: null,
      required: true,
      unit: 'a file, a policy of c2sp.org/tlog-policy',
      description:
        'The logs that the witness follows, one “log <verifier key>” line for each key. Witnesses and the quorum in it mean nothing here.',
      path: true,
      schema: text,
    },
    key: {
      flag: 'key',
      default: null,
      unit: 'a file',
      description:
        'The keys of the witness. Without it, FOLDER/witness.key of --state. The first start makes one.',
      path: true,
      schema: text,
    },
    name: {
      flag: 'witness-name',
      default: null,
      unit: 'an address without https://, or a word',
      description: 'The name of the key. Only the first start, which makes the key, needs it.',
      schema: keyName,
    },
  },
  async run({ state, logs: logsFile, key, name, host, port, grace }, { now, progress, print, untilStopped }) {
    const signal = untilStopped();
    const lock = await takeLock(state, { waitMs: 0, holder: `witness, process ${process.pid}` });
    try {
      const logs = await readLogs(logsFile);
      const keys = await ownKeys(key ?? join(state, 'witness.key'), name, now());
      const log = (line: string) => progress.note(line);
      const witness = await Witness.open({ folder: join(state, 'logs'), keys, logs, now, log });
      const report = (error: Error) => progress.fault(error.message);
      const server = witnessServer({ witness, about: describe(keys, logs), report });
      await listenOn(server, { host, port });
      for (const { cosigner } of keys) print(`Verifier key: ${formatCosignerKey(cosigner)}`);
      print(`Witnessing ${logs.length} ${logs.length === 1 ? 'log' : 'logs'} at ${addressOf(host, server)}`);
      if (!signal.aborted) await once(signal, 'abort');
      await closeServer(server, grace * 1000);
    } finally {
      lock.close();
    }
    return 0;
  },
});

async function ownKeys(path: string, name: string | null, now: number): Promise<CosigningKey[]> {
  const keys = await readWitnessKeys(path);
  if (!keys) {
    if (name !== null) return createWitnessKeys(path, name, now);
    const expected = 'a name for the key, which does not exist yet';
    throw new CathedralError('usage', {
      place: '--witness-name',
      expected,
      found: `nothing, and no file ${path}`,
    });
  }
  const other = keys.find(({ cosigner }) => name !== null && cosigner.name !== name);
  if (!other) return keys;
  throw new CathedralError('config_invalid', {
    place: '--witness-name',
    expected: `${other.cosigner.name}, as in ${path}`,
    found: name!,
  });
}

/** Throws config_invalid. */
async function readLogs(path: string): Promise<FollowedLog[]> {
  const bytes = await readFile(path).catch((cause) => {
    const expected = 'a policy file that can be read';
    throw new CathedralError('config_invalid', { place: path, expected, found: cause.code, cause });
  });
  const byOrigin = Map.groupBy(
    parseWitnessPolicy(bytes, path).logs.map(({ key }) => key),
    (key) => key.name,
  );
  if (byOrigin.size > 0) return [...byOrigin].map(([origin, keys]) => ({ origin, keys }));
  const expected = 'at least one line “log <verifier key>”';
  throw new CathedralError('config_invalid', { place: path, expected, found: 'none' });
}

/** For operators who look at its address, as lines of a policy. */
function describe(keys: readonly CosigningKey[], logs: readonly FollowedLog[]): string {
  const own = keys.map(({ cosigner }) => formatCosignerKey(cosigner));
  const followed = logs.map(({ origin }) => origin);
  return `A witness (c2sp.org/tlog-witness)\n\nVerifier keys:\n${own.join('\n')}\n\nLogs:\n${followed.join('\n')}\n`;
}
