import { cp, rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { nextSlotId } from '../../../pipeline/ledger/events/slot.ts';
import { LEDGER_START } from '../../../pipeline/ledger/log/leaf.ts';
import { snapshotFile } from '../../../pipeline/ledger/reading/directory.ts';
import { emptyState } from '../../../pipeline/model/empty-state.ts';
import { assertReleaseMatchesLedger, LedgerFold } from '../../../src/sidecar/live/ledger-fold.ts';
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

test('a fold does not continue from a snapshot that the ledger no longer has', async () => {
  const [ledger, other] = [temporaryFolder(), temporaryFolder()];
  await writeLedger(ledger, 4, 4);
  await writeLedger(other, 4, 5, 4);
  const fold = new LedgerFold(ledger, KNOWN, { position: LEDGER_START, state: emptyState() });
  expect((await fold.advance()).events).toBe(8);
  await rm(`${ledger}/snapshots`, { recursive: true });
  await cp(`${other}/snapshots`, `${ledger}/snapshots`, { recursive: true });
  const failure = { code: 'ledger_root', place: `snapshots/${nextSlotId(FIRST_SLOT)}.checkpoint` };
  expect(await failureOf(() => fold.advance())).toMatchObject(failure);
});
