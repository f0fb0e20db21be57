import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { snapshotFile } from '../../../pipeline/ledger/directory.ts';
import { LEDGER_START } from '../../../pipeline/ledger/leaf.ts';
import { assertReleaseMatchesLedger } from '../../../src/sidecar/live/ledger-fold.ts';
import { FIRST_SLOT, signer, temporaryFolder, writeLedger } from '../../ledger/test-ledger.ts';
import { failureOf } from '../../release/temporary-folder.ts';

const KNOWN = [signer.verifier];

test('a position matches the ledger that signs exactly these events', async () => {
  const ledger = temporaryFolder();
  await assertReleaseMatchesLedger(ledger, await writeLedger(ledger, 4), KNOWN);
  await assertReleaseMatchesLedger(ledger, LEDGER_START, KNOWN);
});

test('a position does not match a ledger with as many other events', async () => {
  const ledger = temporaryFolder();
  const position = await writeLedger(ledger, 4);
  const other = { ...position, range: ['7'.repeat(64)] };
  expect(await failureOf(() => assertReleaseMatchesLedger(ledger, other, KNOWN))).toMatchObject({
    code: 'ledger_root',
  });
});

test('a position does not match a ledger without its snapshot, or one signed by an unknown key', async () => {
  const ledger = temporaryFolder();
  const position = await writeLedger(ledger, 4);
  expect(await failureOf(() => assertReleaseMatchesLedger(ledger, position, []))).toMatchObject({
    code: 'ledger_signature',
  });
  await rm(snapshotFile(ledger, FIRST_SLOT).checkpoint);
  const place = `snapshots/${FIRST_SLOT}.checkpoint`;
  const fault = { code: 'ledger_unreadable', place };
  expect(await failureOf(() => assertReleaseMatchesLedger(ledger, position, KNOWN))).toMatchObject(fault);
});
