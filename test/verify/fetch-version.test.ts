import { afterEach, beforeEach, expect, test } from 'vitest';
import { fetchVersion } from '../../pipeline/verify/versions/fetch-version.ts';
import { LyingServer } from '../contract/lies/host.ts';
import { PUBLISHER, STRANGER, smallSite } from '../mirror/small-service.ts';
import { httpOrigin } from '../mirror/update-mirror.ts';
import { failureOf } from '../release/temporary-folder.ts';

const HISTORY = 'economy/mic-history.csv';
const FIRST_SLOT = '2025-12-01T00Z';

let server: LyingServer;
beforeEach(async () => {
  server = await LyingServer.start(smallSite({ release: 3 }));
});
afterEach(() => server.close());

const keys = [PUBLISHER.verifier];
const progress = () => {};

test('another key, a changed row, an unknown file and a time before the first snapshot are refused', async () => {
  const asked = { path: HISTORY, slot: FIRST_SLOT, keys };
  const refusal = async (changed: Partial<typeof asked>) =>
    failureOf(() => fetchVersion(httpOrigin(server.url), { ...asked, ...changed }, progress));
  expect(await refusal({ keys: [STRANGER.verifier] })).toMatchObject({ code: 'ledger_signature' });
  expect(await refusal({ path: 'economy/none' })).toMatchObject({ code: 'release_invalid' });
  expect(await refusal({ slot: '2025-11-30T18Z' })).toMatchObject({
    code: 'release_invalid',
    message: expect.stringContaining(`only as it was at ${FIRST_SLOT}`),
  });
  const rows = Buffer.from(smallSite({ release: 3 }).get(HISTORY)!);
  rows[rows.length - 2]! ^= 1;
  server.site.set(HISTORY, rows);
  expect(await refusal({})).toMatchObject({ code: 'mirror_mismatch' });
});
