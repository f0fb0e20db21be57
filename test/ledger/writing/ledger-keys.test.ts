import { mkdir, readFile, readlink, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { readNoteKeys, verifierKeyOf } from '../../../pipeline/ledger/notes/note-keys.ts';
import { readVerifiers } from '../../../pipeline/ledger/reading/ledger-verifiers.ts';
import { initLedger, readCharter } from '../../../pipeline/ledger/writing/init-ledger.ts';
import { rotateLedgerKey } from '../../../pipeline/ledger/writing/ledger-keys.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';

/** As Notepad saves a file. */
const saveOnWindows = async (path: string) =>
  writeFile(path, `\uFEFF${(await readFile(path, 'utf8')).replaceAll('\n', '\r\n')}`);

const NOW = Date.UTC(2026, 0, 2);

async function newLedger(dir: string, charter: string) {
  const [ledger, keyFile, verifierFile] = [
    join(dir, 'ledger'),
    join(dir, 'ledger.key'),
    join(dir, 'ledger.vkey'),
  ];
  const files = { ledger, keyFile, verifierFile };
  const genesis = { allocation: '0', multipliers: {}, charter };
  const from = '2026-01-01T00:00:00Z';
  await initLedger({ ...files, origin: 'ledger.example.org', genesis, agent: 'LEDGER', from, now: NOW });
  return files;
}

test('a charter and the files of keys may be saved by a Windows editor; a rotation then adds the new key alone', async () => {
  const dir = await temporaryFolder();
  const charter = join(dir, 'charter.md');
  await writeFile(charter, 'We publish\nwhat we do.\n');
  await saveOnWindows(charter);
  expect(await readCharter(charter)).toBe('We publish\nwhat we do.');
  const files = await newLedger(dir, await readCharter(charter));
  await saveOnWindows(files.keyFile);
  await saveOnWindows(files.verifierFile);
  await rotateLedgerKey({ ...files, now: NOW, waitMs: 0 });
  expect(await readVerifiers(files.verifierFile)).toHaveLength(2);
});

test('keys behind links are rotated where they are, and the links stay', async () => {
  const dir = await temporaryFolder();
  const files = await newLedger(dir, 'We publish.');
  await mkdir(join(dir, 'vault'));
  for (const file of [files.keyFile, files.verifierFile]) {
    await rename(file, join(dir, 'vault', basename(file)));
    await symlink(`vault/${basename(file)}`, file);
  }
  const keys = await rotateLedgerKey({ ...files, now: NOW, waitMs: 0 });
  for (const file of [files.keyFile, files.verifierFile])
    expect(await readlink(file)).toBe(`vault/${basename(file)}`);
  expect(await readVerifiers(join(dir, 'vault/ledger.vkey'))).toHaveLength(2);
  expect((await readNoteKeys(join(dir, 'vault/ledger.key')))!.map(verifierKeyOf)).toEqual(
    keys.map(verifierKeyOf),
  );
  expect((await stat(join(dir, 'vault/ledger.key'))).mode & 0o777).toBe(0o600);
});
