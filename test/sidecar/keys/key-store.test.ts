import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { KeyStore } from '../../../src/sidecar/keys/key-store.ts';
import { openKeyStore } from '../../../src/sidecar/keys/key-store.ts';
import { failureOf, temporaryFolder } from '../../release/temporary-folder.ts';
import { REPLACEMENTS } from '../storage/replacements.ts';
import { newKey, sha256 } from './new-key.ts';

async function newPath(): Promise<string> {
  return join(await temporaryFolder(), 'private', 'keys.sqlite');
}

async function open(path: string): Promise<KeyStore> {
  const store = await openKeyStore(path);
  onTestFinished(() => store.close().catch(() => undefined));
  return store;
}

/** A store with the key `a`. */
async function filled() {
  const path = await newPath();
  const store = await open(path);
  await store.addKey(newKey('a'));
  return { path, store };
}

const STORE = resolve(import.meta.dirname, '../../../src/sidecar/keys/key-store.ts');

/** Runs `work` over the store `path` in a process of its own; resolves to what it printed. */
async function inAnotherProcess(path: string, work: string): Promise<{ stdout: string }> {
  const program = join(await temporaryFolder(), 'work.mjs');
  await writeFile(
    program,
    `import { openKeyStore } from ${JSON.stringify(STORE)};
    const store = await openKeyStore(${JSON.stringify(path)});
    ${work}`,
  );
  return promisify(execFile)(process.execPath, [program]);
}

describe('a store on the disk', () => {
  test('can be read by its owner alone', async () => {
    const path = await newPath();
    await (await open(path)).addKey(newKey('a'));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(path, '..'))).mode & 0o777).toBe(0o700);
  });

  test('is made once by processes that open it together', async () => {
    const path = await newPath();
    const work = 'console.log((await store.keys()).length);';
    const runs = await Promise.all([1, 2, 3, 4].map(() => inAnotherProcess(path, work)));
    expect(runs.map(({ stdout }) => stdout)).toEqual(['0\n', '0\n', '0\n', '0\n']);
  });
});

describe('a store whose file is replaced while it is open', () => {
  test.each(Object.entries(REPLACEMENTS))('(%s) is the new file from then on', async (_, replace) => {
    const { path, store } = await filled();
    const copy = join(await temporaryFolder(), 'back-up.sqlite');
    await copyFile(path, copy);
    await store.addKey(newKey('b'));
    replace(path, copy);
    const other = await openKeyStore(path);
    expect(await other.revokeKey('a', 7, 'lost')).toBe(true);
    await other.close();
    expect((await store.keyByHash(sha256('a')))?.revoked_at).toBe(7);
    expect(await store.keyById('b')).toBeNull();
    await store.addKey(newKey('c'));
    expect(await (await open(path)).keyById('c')).not.toBeNull();
  });

  test('by an empty file cannot be read, and knows its keys when it is back', async () => {
    const { path, store } = await filled();
    await rename(path, `${path}.aside`);
    await writeFile(path, '');
    const failure = { code: 'keys_unreadable', place: path, found: 'an empty file' };
    expect(await failureOf(() => store.keyById('a'))).toMatchObject(failure);
    await rename(`${path}.aside`, path);
    expect(await store.keyById('a')).not.toBeNull();
  });

  test('in place by a database of another mode is read when it is written back in place', async () => {
    const { path, store } = await filled();
    const own = await readFile(path);
    const other = join(await temporaryFolder(), 'other.sqlite');
    const database = new DatabaseSync(other);
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE other (a)');
    database.close();
    await copyFile(other, path);
    expect(await failureOf(() => store.keyById('a'))).toMatchObject({ code: 'keys_unreadable' });
    await writeFile(path, own);
    expect(await store.keyById('a')).not.toBeNull();
  });

  test('by nothing cannot be read, and is not made anew, until a file is back', async () => {
    const { path, store } = await filled();
    await rename(path, `${path}.aside`);
    const failure = { code: 'keys_unreadable', place: path, found: 'no file' };
    expect(await failureOf(() => store.keyById('a'))).toMatchObject(failure);
    expect(await failureOf(() => store.revokeKey('a', 7, 'lost'))).toMatchObject(failure);
    expect(await readdir(dirname(path))).toEqual(['keys.sqlite.aside']);
    await rename(`${path}.aside`, path);
    expect(await store.keyById('a')).not.toBeNull();
  });

  test('by what is no key store cannot be read until that is mended', async () => {
    const { path, store } = await filled();
    await rename(path, `${path}.aside`);
    await writeFile(path, 'x'.repeat(5000));
    expect(await failureOf(() => store.keyById('a'))).toMatchObject({ code: 'keys_unreadable' });
    await rename(`${path}.aside`, path);
    expect(await store.keyById('a')).not.toBeNull();
  });
});

test('a store that was in three files becomes one', async () => {
  const path = await newPath();
  await (await open(path)).close();
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL');
  database.close();
  await (await open(path)).addKey(newKey('a'));
  expect(await readdir(dirname(path))).toEqual(['keys.sqlite']);
});

test('a store that has to be there is not made', async () => {
  const path = await newPath();
  await expect(openKeyStore(path, { mustExist: true })).rejects.toThrow(
    /expected a key store, found no file/,
  );
  expect(existsSync(dirname(path))).toBe(false);
});

describe('a file that is no key store', () => {
  test('of another program is refused and left as it was', async () => {
    const path = join(await temporaryFolder(), 'other.sqlite');
    const other = new DatabaseSync(path);
    other.exec('CREATE TABLE t (x); PRAGMA user_version = 1');
    await expect(openKeyStore(path)).rejects.toThrow(
      /expected a key store, found another database \(keys_unreadable\)/,
    );
    expect(other.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'delete' });
    other.close();
  });

  test('but text is refused, and names the file', async () => {
    await expect(openKeyStore(import.meta.filename)).rejects.toThrow(/key-store\.test\.ts: .*not a database/);
  });

  test('with a row that is no key is refused when that is read', async () => {
    const { path, store } = await filled();
    const database = new DatabaseSync(path);
    database.exec(`UPDATE keys SET tier = 'emperor'`);
    database.close();
    const failure = await failureOf(() => store.keyById('a'));
    expect(failure).toMatchObject({ code: 'keys_unreadable', place: `${path}: tier`, found: '"emperor"' });
  });

  test('any more, because it was closed, says so', async () => {
    const store = await open(await newPath());
    await store.close();
    expect(await failureOf(() => store.keys())).toMatchObject({ code: 'keys_unreadable' });
  });
});
