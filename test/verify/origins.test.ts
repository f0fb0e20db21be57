import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { CheckName } from '../../pipeline/verify/checks.ts';
import { FolderOrigin } from '../../pipeline/verify/folder-origin.ts';
import type { Origin } from '../../pipeline/verify/origin.ts';
import { PageOrigin } from '../../pipeline/verify/page-origin.ts';
import { verify } from '../../pipeline/verify/verify.ts';
import { LyingServer } from '../contract/lies/host.ts';
import { BEGIN, LEDGER, PUBLISHER, type Site, smallSite, writeSite } from '../mirror/small-service.ts';
import { httpOrigin } from '../mirror/update-mirror.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';

let server: LyingServer;
beforeEach(async () => {
  server = await LyingServer.start(smallSite({ release: 3 }));
});
afterEach(() => server.close());

/** A browser completes the addresses that the page requests. */
function pageOrigin(): Origin {
  const { fetch } = globalThis;
  onTestFinished(() => void Object.assign(globalThis, { fetch }));
  const fetchHere = (path: string, options: RequestInit) => fetch(server.url + path, options);
  Object.assign(globalThis, { fetch: fetchHere });
  return new PageOrigin();
}

/** The state of each check that needs no folder, and the findings without the name of the origin. */
async function outcomeOf(origin: Origin, root: string) {
  const trust = { keys: [PUBLISHER.verifier], ledgerKeys: [LEDGER.verifier] };
  const options = { parallel: 2, now: () => BEGIN, wait: async () => {}, log: () => {} };
  const { verdicts, findings } = await verify(origin, trust, options);
  const needsFolder: CheckName[] = ['names', 'encodings'];
  const states = verdicts.filter(({ check }) => !needsFolder.includes(check));
  return {
    states: states.map(({ check, state }) => `${check} ${state}`),
    findings: findings
      .map(({ code, place }) => `${code} ${place.startsWith(root) ? place.slice(root.length) : place}`)
      .sort(),
  };
}

const flip = (path: string) => (site: Site) => {
  const bytes = Buffer.from(site.get(path)!);
  bytes[bytes.length >> 1]! ^= 1;
  site.set(path, bytes);
};

test.each<[what: string, damage: (site: Site) => void]>([
  ['a sound release', () => {}],
  ['a file that differs', flip('economy/large.bin')],
  ['a missing file', (site) => site.delete('economy/supply')],
  ['a tile that differs', flip('log/tile/0/000')],
  ['a snapshot that differs', flip('snapshots/2025-12-01T06Z/economy/supply')],
  ['an unsigned snapshot list', (site) => site.delete('snapshots/index.json.sig')],
  ['a manifest that differs', flip('manifest.json')],
])('a host, a page and a folder get the same verdicts: %s', async (_, damage) => {
  damage(server.site);
  const folder = await temporaryFolder();
  await writeSite(folder, server.site);
  const host = await outcomeOf(httpOrigin(server.url), `${server.url}/`);
  expect(await outcomeOf(await FolderOrigin.at(folder), `${folder}/`)).toEqual(host);
  expect(await outcomeOf(pageOrigin(), '/')).toEqual(host);
});
