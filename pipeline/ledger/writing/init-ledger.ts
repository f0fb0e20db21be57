import { mkdir, readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { asDiskErrors, exists, makeFolder, replaceFile, sync } from '../../disk/durable.ts';
import { givenText, readGiven } from '../../disk/read-given.ts';
import { CathedralError } from '../../errors.ts';
import { completeEvent } from '../events/draft.ts';
import type { EventOf, LedgerEvent } from '../events/event.ts';
import { formatEventLine } from '../events/event-line.ts';
import { type NoteKey, newNoteKey, readNoteKeys, verifierKeyOf, writeNoteKeys } from '../notes/note-keys.ts';
import { openDirectory } from '../reading/directory.ts';
import { unwritable } from './head-and-snapshot-files.ts';
import { assertOutside, type LedgerKeyFiles } from './ledger-keys.ts';
import { lockLedger } from './lock-ledger.ts';

export interface NewLedger extends LedgerKeyFiles {
  /** Names the ledger in its checkpoints, and its key: `ledger.example.org`. */
  origin: string;
  genesis: EventOf<'genesis'>['data'];
  /** The agent of the genesis event. */
  agent: string;
  /** Time of the genesis event. No event of the ledger can be earlier. */
  from: string;
  /** Unix ms */
  now: number;
  /** Permissions of its folder, which decide who reads it. Default: for everyone. */
  mode?: number;
}

/** What an interrupted `init` leaves in the new folder. */
const OWN_ENTRIES = ['snapshots', 'head.ndjson', 'head.ndjson.tmp'];

/**
 * Creates a ledger with its genesis event in the head, its signing key and its verifier key. The ledger gets its name last: while it has
 * another one, a run that was killed is completed by the next one. Returns the event and the verifier key. Throws `ledger_unwritable` for a
 * folder that holds something, key_refused for a key file that exists, config_invalid for a key inside the ledger, `ledger_schema` and
 * `ledger_order` for a genesis that is none, locked, and the errors of writing a file.
 */
export async function initLedger(ledger: NewLedger): Promise<{ event: LedgerEvent; verifierKey: string }> {
  const { genesis: data, agent, from: timestamp, now } = ledger;
  const draft = { type: 'genesis', agent, timestamp, data };
  const event = completeEvent(draft, { seq: 0, notBefore: null, now }, () => 'the genesis event');
  // Before the lock, because taking it creates a folder and a refused command must create nothing.
  await assertFree(ledger);
  const holder = `ledger init, process ${process.pid}`;
  using _ = await lockLedger(ledger.ledger, { waitMs: 0, holder });
  const isResumed = await assertFree(ledger);
  const key = await create(ledger, event, isResumed).catch((cause) => {
    throw unwritable(ledger.ledger, cause);
  });
  return { event, verifierKey: verifierKeyOf(key) };
}

async function create(ledger: NewLedger, event: LedgerEvent, isResumed: boolean): Promise<NoteKey> {
  await makeFolder(unfinished(ledger), { mode: ledger.mode ?? 0o755 });
  const key = (isResumed && (await readNoteKeys(ledger.keyFile))?.[0]) || (await makeKey(ledger));
  await replaceFile(ledger.verifierFile, `${verifierKeyOf(key)}\n`);
  await finish(ledger, event);
  return key;
}

/** The folder under the name that it has until it is complete. */
function unfinished({ ledger }: NewLedger): string {
  return `${ledger}.new`;
}

async function makeKey({ keyFile, origin, now }: NewLedger): Promise<NoteKey> {
  const key = newNoteKey(origin, now);
  await writeNoteKeys(keyFile, [key]);
  return key;
}

async function finish(ledger: NewLedger, event: LedgerEvent): Promise<void> {
  const folder = unfinished(ledger);
  await asDiskErrors(ledger.ledger, async () => {
    await mkdir(join(folder, 'snapshots'), { recursive: true });
    await replaceFile(openDirectory(folder).head, `${formatEventLine(event)}\n`);
    await sync(folder);
    await rename(folder, ledger.ledger);
    await sync(dirname(ledger.ledger));
  });
}

/** Whether an `init` of this ledger was interrupted. Throws if one of its files is something else. */
async function assertFree(ledger: NewLedger): Promise<boolean> {
  assertOutside(ledger.ledger, ledger.keyFile);
  const [found] = await entriesOf(ledger.ledger);
  if (found !== undefined) {
    const place = ledger.ledger;
    throw new CathedralError('ledger_unwritable', { place, expected: 'no folder, or an empty one', found });
  }
  const isResumed = await exists(unfinished(ledger));
  const foreign = (await entriesOf(unfinished(ledger))).find((name) => !OWN_ENTRIES.includes(name));
  if (foreign !== undefined) {
    const expected = 'no such folder, or what an interrupted `ledger init` left';
    throw new CathedralError('ledger_unwritable', { place: unfinished(ledger), expected, found: foreign });
  }
  await assertNoKey(ledger, isResumed);
  return isResumed;
}

/** A key may have signed another ledger. Only the one of an interrupted `init` is taken. */
async function assertNoKey({ keyFile, verifierFile, origin }: NewLedger, isResumed: boolean): Promise<void> {
  if (isResumed) {
    const name = (await readNoteKeys(keyFile))?.[0]?.name ?? origin;
    if (name === origin) return;
    const expected = `the origin ${name}, with which an interrupted \`ledger init\` began`;
    throw new CathedralError('config_invalid', { place: '--origin', expected, found: origin });
  }
  const wrong = { expected: 'no such file', found: 'one that exists' };
  for (const place of [keyFile, verifierFile])
    if (await exists(place)) throw new CathedralError('key_refused', { place, ...wrong });
}

async function entriesOf(folder: string): Promise<string[]> {
  return readdir(folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return [];
    const found = cause.code ?? cause.message;
    throw new CathedralError('ledger_unwritable', { place: folder, expected: 'a folder', found, cause });
  });
}

/** The text of a charter. Throws config_invalid for a file that cannot be read, or that is not UTF-8. */
export async function readCharter(path: string): Promise<string> {
  return givenText(await readGiven(path, 'a readable text file'), path).trimEnd();
}
