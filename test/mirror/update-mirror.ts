import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Mirrored, type MirrorOptions, mirror } from '../../pipeline/mirror/mirror.ts';
import { STALL_MS } from '../../pipeline/pace.ts';
import { listTree } from '../../pipeline/release/disk/list-tree.ts';
import { sha256 } from '../../pipeline/release/format/manifest.ts';
import { HOST_FILES } from '../../pipeline/release/format/response-headers.ts';
import { HttpOrigin, type HttpOriginOptions } from '../../pipeline/verify/http-origin.ts';
import { BEGIN, PUBLISHER, type Site } from './small-service.ts';

const HOUR_MS = 3_600_000;

export type UpdateOptions = Partial<MirrorOptions> & { lines?: string[]; stallMs?: number };

export function httpOrigin(address: string, more: Partial<HttpOriginOptions> = {}): HttpOrigin {
  const wait = async () => {};
  const { fetch } = globalThis;
  return new HttpOrigin({
    baseUrl: address,
    fetch,
    timeLimitMs: 600_000,
    software: 'test 0.0.0',
    apiKey: null,
    isStatic: false,
    log: () => {},
    attempts: 3,
    wait,
    ...more,
  });
}

/** Mirrors like the command, but without waiting, at the time of the first release. */
export async function updateMirror(
  address: string,
  folder: string,
  { lines = [], stallMs = STALL_MS, ...more }: UpdateOptions = {},
): Promise<Mirrored & { requests: number; bytes: number }> {
  const origin = httpOrigin(address, { stallMs });
  const mirrored = await mirror({
    origin,
    address,
    folder,
    keys: [PUBLISHER.verifier],
    ledgerKeys: null,
    policy: null,
    acceptExpired: false,
    recheck: false,
    withoutLinks: false,
    parallel: 4,
    waitMs: 0,
    now: () => BEGIN + HOUR_MS,
    wait: async () => {},
    log: (line) => lines.push(line),
    ...more,
  });
  return { ...mirrored, ...origin.traffic };
}

/** Everything that a mirror serves, by path. */
export async function servedBy(folder: string): Promise<Site> {
  const served: Site = new Map();
  for (const [root, below] of [
    [join(folder, 'current/public'), ''],
    [join(folder, 'log'), 'log/'],
    [join(folder, 'snapshots'), 'snapshots/'],
  ] as const) {
    const { files } = await listTree(root).catch(() => ({ files: [] }));
    for (const path of files) served.set(below + path, await readFile(join(root, path)));
  }
  return served;
}

/** Sorted paths and hashes, without what a mirror generates itself: equal lists mean equal bytes. */
export function contents(site: Site): string[] {
  return [...site]
    .filter(([path]) => !HOST_FILES.some((name) => name === path))
    .map(([path, bytes]) => `${path} ${sha256(bytes)}`)
    .sort();
}
