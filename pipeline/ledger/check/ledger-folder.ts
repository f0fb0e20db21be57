import type { Dirent } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { exists } from '../../disk/durable.ts';
import { CathedralError } from '../../errors.ts';
import { isSlotId, slotId, slotTime } from '../events/slot.ts';
import { IMPORT_INDEX, type SnapshotFile, snapshotFile } from '../reading/directory.ts';
import type { LedgerFindings } from './findings.ts';

/** What an import keeps in the folder of its ledger, beside the ledger itself. */
const IMPORT_FILES: ReadonlySet<string> = new Set([
  'lock',
  'lock-journal',
  'lock.holder',
  IMPORT_INDEX,
  `${IMPORT_INDEX}-journal`,
]);

/** The files of a slot that are there; readers need both. */
export interface SlotFiles extends SnapshotFile {
  hasEvents: boolean;
  hasCheckpoint: boolean;
}

/**
 * The slots of a ledger's folder, oldest first, without a newest one whose checkpoint is missing. Adds what does not belong there, and
 * what is missing, to `findings`. Throws `ledger_unreadable` for a folder that is not a ledger or cannot be read.
 */
export async function listSlots(path: string, findings: LedgerFindings, now: number): Promise<SlotFiles[]> {
  for (const entry of await list(path, path)) {
    const { name } = entry;
    if (name === 'snapshots' || name === 'head.ndjson' || IMPORT_FILES.has(name)) continue;
    if (name === 'head.ndjson.tmp') findings.warn('unfinished', name, UNFINISHED);
    else await warnOfStray(path, name, entry, findings);
  }
  const names = new Map<string, Set<string>>();
  for (const entry of await list(join(path, 'snapshots'), path)) {
    const { name } = entry;
    const place = `snapshots/${name}`;
    const [, id = '', part = ''] = /^(.*?)\.(ndjson\.zst|checkpoint)$/.exec(name) ?? [];
    if (/\.(ndjson\.zst|checkpoint)\.tmp$/.test(name)) findings.warn('unfinished', place, UNFINISHED);
    else if (part === '') await warnOfStray(path, place, entry, findings);
    else if (isSlotId(id)) names.set(id, (names.get(id) ?? new Set()).add(part));
    else {
      const expected = `a slot like 2025-12-01T06Z before .${part}`;
      findings.error(wrong('ledger_order', place, expected, JSON.stringify(id)));
    }
  }
  const slots = [...names].sort(([one], [other]) => (one < other ? -1 : 1));
  const complete = slots.map(([id, parts]) => ({
    ...snapshotFile(path, id),
    hasEvents: parts.has('ndjson.zst'),
    hasCheckpoint: parts.has('checkpoint'),
  }));
  // A listing is not atomic: a file that was renamed into place meanwhile may be missing from it.
  for (const slot of complete) {
    slot.hasEvents ||= await exists(slot.events);
    slot.hasCheckpoint ||= await exists(slot.checkpoint);
  }
  const newest = complete.at(-1);
  if (newest && !newest.hasCheckpoint) {
    complete.pop();
    const place = `snapshots/${newest.id}.ndjson.zst`;
    findings.warn('unfinished', place, `It has no checkpoint, so readers ignore it. ${UNFINISHED}`);
  }
  for (const slot of complete) findPartner(slot, findings);
  for (const { id } of complete)
    if (slotTime(id) > slotTime(slotId(now)))
      findings.warn('clock', `snapshots/${id}.checkpoint`, 'The slot has not ended yet by the clock.');
  return complete;
}

export const UNFINISHED =
  'A writer was killed here, or is writing now. The next writer finishes or removes it.';

function findPartner({ id, hasEvents, hasCheckpoint }: SlotFiles, findings: LedgerFindings): void {
  const both = 'both files of the snapshot';
  if (!hasEvents) findings.error(wrong('ledger_unreadable', `snapshots/${id}.ndjson.zst`, both, 'none here'));
  if (!hasCheckpoint)
    findings.error(wrong('ledger_unreadable', `snapshots/${id}.checkpoint`, both, 'none here'));
}

/** Readers ignore it, but a ledger's folder is copied and published as a whole, so no secret may be in it. */
async function warnOfStray(path: string, place: string, entry: Dirent, findings: LedgerFindings) {
  if (entry.isFile() && (await isSecretKey(join(path, place))))
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
    `Others than its owner can read or change this signing key, mode ${found}: chmod 600`,
  );
}

const SECRET = 'PRIVATE+KEY+';

async function isSecretKey(path: string): Promise<boolean> {
  const file = await open(path).catch(() => null);
  try {
    const { buffer } = (await file?.read(Buffer.alloc(SECRET.length))) ?? { buffer: null };
    return buffer?.toString('latin1') === SECRET;
  } finally {
    await file?.close();
  }
}

async function list(folder: string, ledger: string): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: NodeJS.ErrnoException) => {
    const found = cause.code === 'ENOENT' ? 'nothing' : `${cause.code}`;
    const expected = folder === ledger ? 'a folder with a ledger' : 'a folder snapshots';
    throw new CathedralError('ledger_unreadable', { place: ledger, expected, found, cause });
  });
  return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
}

function wrong(code: 'ledger_order' | 'ledger_unreadable', place: string, expected: string, found: string) {
  return new CathedralError(code, { place, expected, found });
}
