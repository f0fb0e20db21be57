import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { formatVerifierKey } from '../../../pipeline/ledger/notes/note.ts';
import { proveGiven } from '../../../pipeline/verify/rows/prove-given.ts';
import { LyingServer, pour } from '../../contract/lies/host.ts';
import { BEGIN, LEDGER, smallSite } from '../../mirror/small-service.ts';
import { failureOf, temporaryFolder } from '../../release/temporary-folder.ts';

const HISTORY = 'economy/mic-history.csv';

let server: LyingServer;

beforeEach(async () => {
  server = await LyingServer.start(smallSite({ release: 1 }));
});
afterEach(() => server.close());

async function prove() {
  const ledgerKey = join(await temporaryFolder(), 'ledger.vkey');
  await writeFile(ledgerKey, `${formatVerifierKey(LEDGER.verifier)}\n`);
  const nothing = () => {};
  return proveGiven(
    {
      ...{ row: HISTORY, path: null, proof: false, heldCheckpoint: null, policy: null, ledgerKey },
      ...{ logUrl: server.url, out: '', timeLimit: 600 },
    },
    {
      now: () => BEGIN,
      wait: async () => {},
      progress: { stage: nothing, note: nothing, update: nothing, end: nothing },
    },
  );
}

test('a history that a host sends without end is read to its first fault, and the transfer is ended', async () => {
  let hasEnded = false;
  server.lies.set(HISTORY, (response) => {
    response.on('close', () => (hasEnded = true));
    pour(response.writeHead(200));
  });
  expect((await prove()).verdict).toBe('cannot_be_checked');
  await expect.poll(() => hasEnded).toBe(true);
});

test('a history is not asked for where the log does not hold', async () => {
  server.site.set('log/checkpoint', Buffer.from('no note'));
  expect(await failureOf(prove)).toMatchObject({ code: 'ledger_corrupt' });
  expect(server.requests).toEqual(['log/checkpoint']);
});
