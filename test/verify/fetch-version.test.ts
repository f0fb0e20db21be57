import { afterEach, beforeEach, expect, test } from 'vitest';
import { FolderOrigin } from '../../pipeline/verify/folder-origin.ts';
import { fetchVersion } from '../../pipeline/verify/versions/fetch-version.ts';
import { LyingServer } from '../contract/lies/host.ts';
import { PUBLISHER, STRANGER, smallSite, writeSite } from '../mirror/small-service.ts';
import { httpOrigin } from '../mirror/update-mirror.ts';
import { failureOf, temporaryFolder } from '../release/temporary-folder.ts';

const HISTORY = 'economy/mic-history.csv';
const SLOTS = ['2025-12-01T00Z', '2025-12-01T06Z', '2025-12-01T12Z'];

let server: LyingServer;
beforeEach(async () => {
  server = await LyingServer.start(smallSite({ release: 3 }));
});
afterEach(() => server.close());

const keys = [PUBLISHER.verifier];
const progress = () => {};

test('a file as it was is fetched from a host or a folder, histories included, and is what was signed', async () => {
  const folder = await temporaryFolder();
  await writeSite(folder, smallSite({ release: 3 }));
  for (const origin of [httpOrigin(server.url), await FolderOrigin.at(folder)])
    for (const [index, slot] of SLOTS.entries())
      for (const path of [HISTORY, 'economy/supply']) {
        const found = await fetchVersion(origin, { path, slot, keys }, progress);
        expect(await found.content.text()).toBe(
          smallSite({ release: index + 1 })
            .get(path)!
            .toString(),
        );
        expect([found.version.entry.id, found.signedBy.id]).toEqual([slot, PUBLISHER.verifier.id]);
      }
});

test('another key, a changed row, an unknown file and a time before the first snapshot are refused', async () => {
  const asked = { path: HISTORY, slot: SLOTS[0]!, keys };
  const refusal = async (changed: Partial<typeof asked>) =>
    failureOf(() => fetchVersion(httpOrigin(server.url), { ...asked, ...changed }, progress));
  expect(await refusal({ keys: [STRANGER.verifier] })).toMatchObject({ code: 'ledger_signature' });
  expect(await refusal({ path: 'economy/none' })).toMatchObject({ code: 'release_invalid' });
  expect(await refusal({ slot: '2025-11-30T18Z' })).toMatchObject({
    code: 'release_invalid',
    message: expect.stringContaining(`only as it was at ${SLOTS[0]}`),
  });
  const rows = Buffer.from(smallSite({ release: 3 }).get(HISTORY)!);
  rows[rows.length - 2]! ^= 1;
  server.site.set(HISTORY, rows);
  expect(await refusal({})).toMatchObject({ code: 'mirror_mismatch' });
});
