import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { EventDraft } from '../../pipeline/ledger/events/draft.ts';
import { readNoteKeys } from '../../pipeline/ledger/notes/note-keys.ts';
import { openDirectory } from '../../pipeline/ledger/reading/directory.ts';
import { readHead } from '../../pipeline/ledger/reading/head.ts';
import { readVerifiers } from '../../pipeline/ledger/reading/ledger-verifiers.ts';
import { initLedger } from '../../pipeline/ledger/writing/init-ledger.ts';
import { readSigners } from '../../pipeline/ledger/writing/ledger-keys.ts';
import { LedgerWriter } from '../../pipeline/ledger/writing/ledger-writer.ts';
import { sampleEvents } from '../ledger/events/sample-events.ts';
import { collect, readLedger, writeLedger } from '../ledger/test-ledger.ts';
import { signer } from '../ledger/test-signer.ts';
import type { Scenario } from './scenario.ts';

/** The sample has an event per minute from 2025-07-03T00:00Z on; the slots of 06Z and 12Z are over. */
const NOW = Date.parse('2025-07-03T13:00:00Z');
const ledgerOf = (folder: string) => join(folder, 'ledger');

async function writing<T>(folder: string, work: (writer: LedgerWriter) => Promise<T>): Promise<T> {
  const options = { verifiers: [signer.verifier], now: () => NOW, waitMs: 0, holder: 'a scenario' };
  const writer = await LedgerWriter.open(ledgerOf(folder), options);
  try {
    return await work(writer);
  } finally {
    writer.close();
  }
}

/** A ledger whose head has events after those of `sealed` snapshots. */
async function prepare(folder: string, sealed: readonly number[], head: number): Promise<void> {
  mkdirSync(join(ledgerOf(folder), 'snapshots'), { recursive: true });
  const { size } = await writeLedger(ledgerOf(folder), ...sealed);
  await writing(folder, (writer) => writer.append(sampleEvents(head, size)));
}

/** The numbers of the events that a reader gets, each verified. */
async function numbers(folder: string): Promise<{ seqs: number[]; snapshots: string[] }> {
  const directory = openDirectory(ledgerOf(folder));
  const { leaves, end } = await readLedger(directory.path);
  const { leaves: rest } = await collect(readHead(directory, end));
  const seqs = [...leaves, ...rest].map(({ event }) => event.seq);
  return { seqs, snapshots: (await directory.snapshots(null)).map(({ id }) => id) };
}

/** Appends a batch that a reader sees whole or not at all. */
function appending(count: number): Scenario {
  const [sealed, head] = [40, 5];
  const before = 2 * sealed + head;
  // Later than the second snapshot, whose slot is 12Z.
  const drafts = (from: number, many: number): EventDraft[] =>
    sampleEvents(many, from).map((event) => ({ ...event, timestamp: '2025-07-03T12:30:00Z' }));
  return {
    async prepare(folder) {
      mkdirSync(join(ledgerOf(folder), 'snapshots'), { recursive: true });
      await writeLedger(ledgerOf(folder), sealed, sealed);
      await writing(folder, (writer) => writer.append(drafts(2 * sealed, head)));
    },
    run: (folder) => writing(folder, (writer) => writer.append(drafts(before, count))),
    async resume(folder) {
      await writing(folder, async (writer) => {
        if (writer.end.size === before) await writer.append(drafts(before, count));
      });
    },
    async problems(folder, isDone) {
      const { seqs } = await numbers(folder);
      const allowed = isDone ? [before + count] : [before, before + count];
      return allowed.includes(seqs.length) ? [] : [`there are ${seqs.length} events`];
    },
  };
}

const sealing: Scenario = {
  prepare: (folder) => prepare(folder, [], 730),
  run: (folder) => writing(folder, (writer) => writer.seal([signer], { quiet: 'alive' })),
  async problems(folder, isDone) {
    const { seqs, snapshots } = await numbers(folder);
    return [
      ...(seqs.length === 730 && seqs.every((seq, index) => seq === index)
        ? []
        : [`lost: ${seqs.length} of 730`]),
      ...(isDone && snapshots.length !== 2 ? [`sealed: ${snapshots.join()}`] : []),
    ];
  },
};

const filesOf = (folder: string) => {
  const ledger = ledgerOf(folder);
  return { ledger, keyFile: `${ledger}.key`, verifierFile: `${ledger}.vkey` };
};

const creating: Scenario = {
  prepare: async () => {},
  run: (folder) =>
    initLedger({
      ...filesOf(folder),
      origin: 'ledger.example.org',
      genesis: { allocation: '0', multipliers: {} },
      agent: 'LEDGER',
      from: '2025-07-03T06:00:00Z',
      now: NOW,
    }),
  async resume(folder) {
    if (!existsSync(ledgerOf(folder))) await creating.run(folder);
  },
  async problems(folder, isDone) {
    const { ledger, keyFile, verifierFile } = filesOf(folder);
    if (existsSync(keyFile) && statSync(keyFile).mode & 0o077) return ['others can read the key'];
    if (!existsSync(ledger)) return isDone ? ['there is no ledger'] : [];
    const [{ verifier }] = await readSigners({ ledger, keyFile });
    const [known] = await readVerifiers(verifierFile);
    const head = await collect(
      readHead(openDirectory(ledger), { snapshot: null, size: 0, range: [], timestamp: null }),
    );
    return [
      ...(verifier.id === known?.id ? [] : ['the keys are of two pairs']),
      ...((await readNoteKeys(keyFile))?.length === 1 ? [] : ['there is no key']),
      ...(head.leaves[0]?.event.type === 'genesis' ? [] : ['there is no genesis']),
    ];
  },
};

export const LEDGER_SCENARIOS: Readonly<Record<string, Scenario>> = {
  'ledger init': creating,
  'an event appended': appending(1),
  'a batch appended': appending(30),
  'ledger seal': sealing,
};
