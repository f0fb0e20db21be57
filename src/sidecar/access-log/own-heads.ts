import { randomUUID } from 'node:crypto';
import { link, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { storeFiles } from '../../../pipeline/config/store-place.ts';
import {
  asDiskErrors,
  ifThere,
  makeFolder,
  replaceFile,
  sync,
  TEMPORARY_SUFFIX,
  writeBeside,
} from '../../../pipeline/disk/durable.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { MOST_KEYS, signNote } from '../../../pipeline/ledger/notes/note.ts';
import {
  newNoteKey,
  readNoteKeys,
  signerOf,
  verifierKeyOf,
  writeNoteKeys,
} from '../../../pipeline/ledger/notes/note-keys.ts';
import { readVerifierKeys } from '../../../pipeline/ledger/reading/ledger-verifiers.ts';
import { openSqlite } from '../../../pipeline/sql/sqlite.ts';
import { LOG_FILE } from '../../../pipeline/sql/tables.ts';
import { readLog } from './log-reader.ts';
import { LOG_LOCK } from './log-table.ts';
import { type HeadStore, isHeadName, type NewHead, signAccessLogHead } from './signed-heads.ts';

/** The signed heads of a log that one machine keeps for itself: files, of which none is ever replaced. */
export function headsIn(store: string): HeadStore {
  return {
    name: store,
    async *list(prefix) {
      const names = await asStoreErrors(join(store, prefix), (folder) => ifThere(readdir(folder), []));
      for (const name of names.filter(isHeadName).sort()) yield { key: `${prefix}${name}` };
    },
    read: async (key) => ({ content: await asStoreErrors(join(store, key), (file) => readFile(file)) }),
    put: (key, { bytes }) => asDiskErrors(join(store, key), () => addFile(join(store, key), bytes)),
  };
}

/** What is read at `place`. Throws store_failed. */
function asStoreErrors<T>(place: string, read: (place: string) => Promise<T>): Promise<T> {
  return read(place).catch((cause: NodeJS.ErrnoException) => {
    const fault = { place, expected: 'signed heads that can be read', found: cause.code ?? cause.message };
    throw new CathedralError('store_failed', { ...fault, cause });
  });
}

/**
 * Adds a file whole, and never replaces one. Each temporary file has another name: one that a kill left may be linked to a head already, and writing to
 * it would change that head.
 */
async function addFile(path: string, bytes: Uint8Array): Promise<{ etag: string } | 'refused'> {
  await makeFolder(dirname(path), { mode: 0o700 });
  const own = `${path}.${randomUUID()}`;
  try {
    await link(await writeBeside(own, bytes, { mode: 0o600, exclusive: true }), path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return 'refused';
    throw error;
  } finally {
    await rm(`${own}${TEMPORARY_SUFFIX}`, { force: true });
  }
  await sync(dirname(path));
  return { etag: '' };
}

/**
 * Signs the newest entry of the log in the folder `store` with the server's own key, which the first call makes, and writes its verifier key where
 * runs find it. Null: there is no log yet, or nothing new in it. Throws store_failed, access_log_broken, config_invalid, publish_failed and
 * disk_full.
 *
 * @param service address of the service
 * @param now ms since 1970
 */
export async function signOwnHead(store: string, service: string, now: number): Promise<NewHead | null> {
  const { accessLog, headKey, headVerifiers } = storeFiles(store);
  const log = await openSqlite(accessLog, LOG_FILE, { mustExist: true });
  try {
    // Two servers that start at once make one key, and show it one after the other.
    const key = await log.transaction(async (query) => {
      await query('SELECT seq FROM access_log_head');
      const own = (await readNoteKeys(headKey))?.[0] ?? (await makeKey(headKey, service, now));
      await showVerifier(headVerifiers, verifierKeyOf(own));
      return own;
    }, LOG_LOCK);
    const signText = (text: string) => signNote(text, signerOf(key));
    return await signAccessLogHead({ log: readLog(log), store: headsIn(store), service, signText, now });
  } finally {
    await log.close();
  }
}

async function makeKey(path: string, service: string, now: number) {
  const key = newNoteKey(`${new URL(service).host}/access-log`, now);
  await writeNoteKeys(path, [key]);
  return key;
}

/** Older keys stay: they signed what was kept before the newest one was made. */
async function showVerifier(path: string, key: string): Promise<void> {
  const known = await readVerifierKeys(path);
  if (known.includes(key)) return;
  await replaceFile(
    path,
    [key, ...known]
      .slice(0, MOST_KEYS)
      .map((line) => `${line}\n`)
      .join(''),
  );
}
