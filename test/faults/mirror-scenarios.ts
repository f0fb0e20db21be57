import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from '../../pipeline/errors.ts';
import { formatVerifierKey } from '../../pipeline/ledger/notes/note.ts';
import { readMirrorState } from '../../pipeline/mirror/mirror-state.ts';
import { FolderOrigin } from '../../pipeline/verify/folder-origin.ts';
import { readSnapshotList } from '../../pipeline/verify/snapshot-list.ts';
import { verify } from '../../pipeline/verify/verify.ts';
import { LyingServer } from '../contract/lies/host.ts';
import { BEGIN, LEDGER, PUBLISHER, smallSite } from '../mirror/small-service.ts';
import { updateMirror } from '../mirror/update-mirror.ts';
import type { Scenario } from './scenario.ts';

const mirrorOf = (folder: string) => join(folder, 'mirror');

/** A mirror is updated from one release to the next. */
function mirrored(releases: readonly number[], { withoutLinks = false, recheck = false } = {}): Scenario {
  let server: LyingServer;
  const last = releases.at(-1)!;
  const to = async (folder: string, release: number, checks = false) => {
    server.site = smallSite({ release });
    await updateMirror(server.url, mirrorOf(folder), { withoutLinks, recheck: checks });
  };
  return {
    async start() {
      server = await LyingServer.start(smallSite({ release: 1 }));
      return () => server.close();
    },
    async prepare(folder) {
      for (const release of releases.slice(0, -1)) await to(folder, release);
    },
    run: (folder) => to(folder, last, recheck),
    async command(folder) {
      server.site = smallSite({ release: last });
      const key = formatVerifierKey(PUBLISHER.verifier);
      const flags = [...(withoutLinks ? ['--without-links'] : []), ...(recheck ? ['--recheck'] : [])];
      return ['mirror', server.url, mirrorOf(folder), '--verifier-key', key, '--accept-expired', ...flags];
    },
    async problems(folder, isDone) {
      // Between two renames of folders nothing is served; see docs/mirrors.md.
      const mayMiss = !isDone && (releases.length === 1 || withoutLinks);
      const isFirst = !isDone && releases.length === 1;
      const still = { mayMiss, isFirst, isDone };
      return mirrorProblems(mirrorOf(folder), isDone ? [last] : releases, still);
    },
  };
}

/** What `cathedral verify` finds in a mirror, which must serve one of these versions. */
async function mirrorProblems(
  folder: string,
  versions: readonly number[],
  { mayMiss, isFirst, isDone }: { mayMiss: boolean; isFirst: boolean; isDone: boolean },
): Promise<string[]> {
  const isServed = await access(join(folder, 'current')).then(
    () => true,
    () => false,
  );
  if (!isServed) return mayMiss ? [] : ['nothing is served'];
  const origin = await FolderOrigin.at(folder);
  const trust = { keys: [PUBLISHER.verifier], ledgerKeys: [LEDGER.verifier] };
  const { release, findings } = await verify(origin, trust, {
    parallel: 4,
    now: () => BEGIN,
    wait: async () => {},
    log: () => {},
  });
  const version = release?.manifest.version ?? 0;
  await readMirrorState(folder);
  return [
    ...findings
      .filter((finding) => !(isFirst && isNotThere(finding)))
      .filter((finding) => isDone || !(isOfList(finding) || isAhead(finding)))
      .map((finding) => JSON.stringify(finding)),
    ...(await listedProblems(origin)),
    ...(versions.includes(version) ? [] : [`version ${version} is served`]),
  ];
}

/** The list is placed after its release: until then clients reject the previous list. */
function isOfList({ code, place }: Finding): boolean {
  return code === 'mirror_mismatch' && /snapshots\/index\.json(\.sig)?$/.test(place);
}

/** Tiles, public events and snapshots are placed before the release that refers to them, and stay if the run ends in between. */
function isAhead({ place, expected }: Finding): boolean {
  return (
    /\/(log\/(tile|public)|snapshots\/\d)/.test(place) && /^(nothing|a snapshot of at most)/.test(expected)
  );
}

/** Whatever the list names exists. */
async function listedProblems(origin: FolderOrigin): Promise<string[]> {
  const problems: string[] = [];
  for (const { index } of (await readSnapshotList(origin))?.index ?? [])
    await origin.verifyFile(index).catch((error: Error) => problems.push(error.message));
  return problems;
}

/** A first release is served for a moment before the checkpoint of its log. */
function isNotThere({ place, found }: Finding): boolean {
  return place.endsWith('log/checkpoint') && found === 'no such file';
}

export const MIRROR_SCENARIOS: Readonly<Record<string, Scenario>> = {
  'a first mirror': mirrored([2]),
  'a mirror that goes on': mirrored([1, 2, 3]),
  'a mirror without links': mirrored([1, 2], { withoutLinks: true }),
  'a mirror that is checked again': mirrored([1, 2, 2], { recheck: true }),
};
