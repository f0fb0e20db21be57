import { CathedralError, unlessRefused } from '../errors.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import type { Database } from '../postgres/database.ts';
import { sha256 } from '../release/format/manifest.ts';
import { type Claim, claimBucket } from './claim-bucket.ts';
import { confirmCurrentRelease, RELEASE_CHANNEL, readCurrentRelease } from './current-release.ts';
import { POINTER_KEY } from './layout.ts';
import { formatPointer, LONGEST_POINTER, type Pointer, parsePointer } from './pointer.ts';

/** Another publisher may write at the same time; then what it wrote is read again. */
const ATTEMPTS = 5;

/** A CDN in front of the bucket must not keep it. */
const HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-cache' };

/**
 * Makes the pointer in the bucket a copy of the row, if it is not: it may be missing, older, damaged or of another service. Any publisher may
 * do this at any time. Throws release_refused where the pointer is of a later version than the row, as after the database was set back, or
 * where the bucket belongs to another service; otherwise store_failed.
 */
export async function repairPointer(
  database: Database,
  objects: ObjectStore,
  claim: Claim,
): Promise<'intact' | 'repaired' | 'no release'> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const standing = await readPointer(objects);
    // After the pointer: whoever writes one later than this row has changed the tag meanwhile.
    const found = await readCurrentRelease(database, claim.service);
    if (!found) return 'no release';
    if (standing?.content && Buffer.compare(standing.content, bytesOf(found)) === 0) return 'intact';
    const row = (await confirmCurrentRelease(database, claim.service)) ?? found;
    const bytes = bytesOf(row);
    if (standing?.pointer?.service === claim.service)
      assertNotLater(standing.pointer, row, { database, objects });
    // Before replacing what another service wrote.
    else await claimBucket(database, objects, claim);
    const object = { bytes, sha256: sha256(bytes), headers: HEADERS };
    const when = standing ? { etag: standing.etag } : 'absent';
    if ((await objects.put(POINTER_KEY, object, when)) === 'refused') continue;
    // They look by themselves, too.
    await database.query('SELECT pg_notify($1, $2)', [RELEASE_CHANNEL, '']).catch(() => undefined);
    return 'repaired';
  }
  throw new CathedralError('store_failed', {
    place: `${objects.name}/${POINTER_KEY}`,
    expected: `the same object at ${ATTEMPTS} attempts to replace it`,
    found: 'another one each time',
  });
}

function bytesOf(pointer: Pointer): Buffer {
  return Buffer.from(formatPointer(pointer));
}

/** Null where there is none. `content` and `pointer` are null for something that is no pointer. */
async function readPointer(
  objects: ObjectStore,
): Promise<{ etag: string; content: Uint8Array | null; pointer: Pointer | null } | null> {
  const head = await objects.head(POINTER_KEY);
  if (!head) return null;
  const found = head.bytes <= LONGEST_POINTER ? await objects.read(POINTER_KEY, LONGEST_POINTER) : null;
  if (!found) return { etag: head.etag, content: null, pointer: null };
  const { etag, content } = found;
  const pointer = unlessRefused(() => parsePointer(Buffer.from(content).toString()), 'release_invalid');
  return { etag, content, pointer };
}

function assertNotLater(
  pointer: Pointer,
  row: Pointer,
  { database, objects }: { database: Database; objects: ObjectStore },
): void {
  if (pointer.version <= row.version) return;
  throw new CathedralError('release_refused', {
    place: `${database.name} cathedral.current_release`,
    expected: `version ${pointer.version} (${pointer.release}), to which ${objects.name}/${POINTER_KEY} points already (nothing is published: the database was set back, restore its newest state; if that is lost, run: cathedral build --adopts-pointer)`,
    found: `version ${row.version} (${row.release})`,
  });
}
