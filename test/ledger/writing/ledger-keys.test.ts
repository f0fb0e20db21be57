import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { initLedger, readCharter } from '../../../pipeline/ledger/writing/init-ledger.ts';
import { readVerifiers, rotateLedgerKey } from '../../../pipeline/ledger/writing/ledger-keys.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';

/** As Notepad saves a file. */
const saveOnWindows = async (path: string) =>
  writeFile(path, `\uFEFF${(await readFile(path, 'utf8')).replaceAll('\n', '\r\n')}`);

test('a charter and the files of keys may be saved by a Windows editor; a rotation then adds the new key alone', async () => {
  const dir = await temporaryFolder();
  const [charter, keyFile, verifierFile] = ['charter.md', 'ledger.key', 'ledger.vkey'].map((name) =>
    join(dir, name),
  ) as [string, string, string];
  await writeFile(charter, 'We publish\nwhat we do.\n');
  await saveOnWindows(charter);
  expect(await readCharter(charter)).toBe('We publish\nwhat we do.');
  const files = { ledger: join(dir, 'ledger'), keyFile, verifierFile };
  const genesis = { allocation: '0', multipliers: {}, charter: await readCharter(charter) };
  const now = Date.UTC(2026, 0, 2);
  const from = '2026-01-01T00:00:00Z';
  await initLedger({ ...files, origin: 'ledger.example.org', genesis, agent: 'LEDGER', from, now });
  await saveOnWindows(keyFile);
  await saveOnWindows(verifierFile);
  await rotateLedgerKey({ ...files, now, waitMs: 0 });
  expect(await readVerifiers(verifierFile)).toHaveLength(2);
});
