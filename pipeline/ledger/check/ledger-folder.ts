import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorOf } from '../../errors.ts';
import { slotId, slotTime } from '../events/slot.ts';
import { IMPORT_INDEX, listSnapshots, missingFile, type Slot } from '../reading/directory.ts';
import type { LedgerFindings } from './findings.ts';

const unreadable = errorOf('ledger_unreadable');

/** What a ledger's folder may have: the ledger, and what an import keeps beside it. */
const OWN_ENTRIES: ReadonlySet<string> = new Set([
  'snapshots',
  'head.ndjson',
  IMPORT_INDEX,
  `${IMPORT_INDEX}-journal`,
]);

export const UNFINISHED =
  'A writer was killed here, or is writing now. The next writer finishes or removes it.';

/**
 * The slots of a ledger's folder, oldest first, without a newest one whose checkpoint is missing. Adds what does not belong there, and
 * what is missing, to `findings`. Throws `ledger_unreadable` for a folder that is not a ledger or cannot be read.
 */
export async function listSlots(path: string, findings: LedgerFindings, now: number): Promise<Slot[]> {
  const entries = await readdir(path).catch((cause: NodeJS.ErrnoException) => {
    const found = cause.code === 'ENOENT' ? 'nothing' : `${cause.code}`;
    throw unreadable(path, 'a folder with a ledger', found, cause);
  });
  for (const name of entries.sort())
    if (!OWN_ENTRIES.has(name)) await warnOfStray(path, name, /^head\.ndjson\.tmp$/, findings);
  const { slots, unfinished, misnamed, others } = await listSnapshots(path);
  for (const name of others)
    await warnOfStray(path, `snapshots/${name}`, /\.(ndjson\.zst|checkpoint)\.tmp$/, findings);
  for (const fault of misnamed) findings.error(fault);
  if (unfinished) {
    const place = `snapshots/${unfinished.id}.ndjson.zst`;
    findings.warn('unfinished', place, `It has no checkpoint, so readers ignore it. ${UNFINISHED}`);
  }
  for (const fault of slots.map(missingFile)) if (fault) findings.error(fault);
  for (const { id } of slots)
    if (slotTime(id) > slotTime(slotId(now)))
      findings.warn('clock', `snapshots/${id}.checkpoint`, 'The slot has not ended yet by the clock.');
  return slots;
}

/** Readers ignore it, but a ledger's folder is copied and published as a whole, so no secret may be in it. */
async function warnOfStray(path: string, place: string, unfinished: RegExp, findings: LedgerFindings) {
  if (unfinished.test(place)) findings.warn('unfinished', place, UNFINISHED);
  else if (await isSecretKey(join(path, place)))
    findings.warn(
      'key',
      place,
      'A signing key inside the ledger: whoever copies the folder has it. Move it.',
    );
  else findings.warn('stray', place, 'This does not belong to a ledger. Readers ignore it.');
}

/** Warns of a signing key that others than its owner can read. `path` need not exist. */
export async function warnOfReadableKey(path: string, findings: LedgerFindings): Promise<void> {
  const { mode = 0 } = (await stat(path).catch(() => null)) ?? {};
  if ((mode & 0o077) === 0) return;
  const found = (mode & 0o777).toString(8).padStart(4, '0');
  findings.warn(
    'key',
    path,
    `Users other than its owner can read or change this signing key, mode ${found}: chmod 600`,
  );
}

const SECRET = 'PRIVATE+KEY+';

async function isSecretKey(path: string): Promise<boolean> {
  // A pipe would wait for its writer, and a folder cannot be read.
  if (!(await stat(path).catch(() => null))?.isFile()) return false;
  await using file = await open(path).catch(() => null);
  const { buffer } = (await file?.read(Buffer.alloc(SECRET.length))) ?? { buffer: null };
  return buffer?.toString('latin1') === SECRET;
}
