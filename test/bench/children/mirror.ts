/** One run of a mirror: `mirror.ts URL FOLDER`; or, for reference, the same files fetched and thrown away: `mirror.ts URL`. */

import { inParallel } from '../../../pipeline/disk/in-parallel.ts';
import { mirror } from '../../../pipeline/mirror/mirror.ts';
import { HttpOrigin } from '../../../pipeline/verify/http-origin.ts';
import { report } from '../child.ts';

const PARALLEL = 6;
const [, , address, folder] = process.argv as [string, string, string, string?];
const wait = async () => {};

await report(() => (folder === undefined ? fetchAll() : updateMirror(folder)));

async function updateMirror(folder: string) {
  const origin = new HttpOrigin({
    baseUrl: address,
    fetch,
    software: 'bench 0.0.0',
    apiKey: null,
    isStatic: false,
    log: () => {},
    timeLimitMs: 600_000,
    attempts: 1,
    wait,
  });
  await mirror({
    origin,
    address,
    folder,
    keys: null,
    ledgerKeys: null,
    policy: null,
    acceptExpired: true,
    recheck: false,
    withoutLinks: false,
    parallel: PARALLEL,
    waitMs: 0,
    now: Date.now,
    wait,
    log: () => {},
  });
  return origin.traffic;
}

async function fetchAll() {
  const { files } = (await (await fetch(`${address}/manifest.json`)).json()) as { files: { path: string }[] };
  await inParallel(files, PARALLEL, async ({ path }) => {
    await (await fetch(`${address}/${path}`)).arrayBuffer();
  });
  return {};
}
