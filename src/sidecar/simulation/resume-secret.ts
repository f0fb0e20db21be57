import { randomBytes } from 'node:crypto';
import { link, readFile, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder, TEMPORARY_SUFFIX } from '../../../pipeline/disk/durable.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import type { Database } from '../../../pipeline/postgres/database.ts';

const SECRET_BYTES = 32;
/** In the table of secrets. */
const NAME = 'simulation resume';

/**
 * The secret of one machine: a file that the first server creates, so that runs can be resumed after a restart. Without it, nothing
 * is lost but that. Throws store_failed.
 */
export async function secretOfFile(path: string): Promise<Uint8Array> {
  try {
    return checked(path, (await readIfExists(path)) ?? (await create(path)));
  } catch (cause) {
    if (cause instanceof CathedralError) throw cause;
    const found = (cause as NodeJS.ErrnoException).code ?? String(cause);
    throw new CathedralError('store_failed', { place: path, expected: 'a readable file', found, cause });
  }
}

/** The secret of all machines that share a database. Rejects with store_failed. */
export async function secretOfDatabase(database: Pick<Database, 'name' | 'query'>): Promise<Uint8Array> {
  const read = () =>
    database.query<{ value: Buffer }>('SELECT value FROM cathedral.secrets WHERE name = $1', [NAME]);
  let { rows } = await read();
  if (rows.length === 0) {
    // One of the servers that start together is first.
    await database.query(
      'INSERT INTO cathedral.secrets (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [NAME, randomBytes(SECRET_BYTES)],
    );
    ({ rows } = await read());
  }
  return checked(`${database.name}: secrets`, rows[0]!.value);
}

async function readIfExists(path: string): Promise<Buffer | null> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

/** Two servers may start together: the file appears whole, once, and both read it. */
async function create(path: string): Promise<Buffer> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}${TEMPORARY_SUFFIX}`;
  await makeFolder(dirname(path));
  await writeFile(temporary, randomBytes(SECRET_BYTES), { mode: 0o600 });
  await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await unlink(temporary);
  return readFile(path);
}

function checked(place: string, secret: Buffer): Buffer {
  if (secret.length === SECRET_BYTES) return secret;
  throw new CathedralError('store_failed', {
    place,
    expected: `a secret of ${SECRET_BYTES} bytes`,
    found: `${secret.length} bytes`,
  });
}
