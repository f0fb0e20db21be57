import { cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Follower } from '../../pipeline/bucket/follower.ts';
import { pullForPublisher } from '../../pipeline/bucket/pull.ts';
import type { ObjectStore } from '../../pipeline/objects/object-store.ts';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import { verifyRelease } from '../../pipeline/release/staging/verify-release.ts';
import { openStore, type Pushed, pointTo, pushReleases } from '../bucket/pushed-releases.ts';
import { InProcessStore } from '../engines/in-process-store.ts';
import { BASE_URL } from '../release/small-service.ts';
import { leftOvers, problemsBeside, publishedProblems } from './published-problems.ts';
import type { Scenario } from './scenario.ts';
import { outOf } from './small-publisher.ts';
import { workingFolder } from './working-folder.ts';

const COUNTS = [30, 260];
/** Events of the two releases. */
const SIZES = [30, 290];

/** A bucket with two releases. */
interface Bucket {
  store: ObjectStore;
  pushed: Pushed[];
  keys: string;
}

/** A scenario in which a folder gets on from the first release in a bucket to the second. */
function inBucket(of: (bucket: () => Bucket) => Omit<Scenario, 'start'>): Scenario {
  let bucket: Bucket | null = null;
  return {
    async start() {
      const engine = await InProcessStore.start();
      const store = await openStore(engine.bucket(), 'write');
      const folder = workingFolder();
      const pushed = await pushReleases(folder, store, COUNTS);
      bucket = { store, pushed, keys: join(folder, 'keys') };
      return async () => {
        store.close();
        engine.stop();
      };
    },
    ...of(() => bucket!),
  };
}

/** Follows until the release is current. Throws the first fault. */
async function follow(out: string, { store, pushed }: Bucket, release: number): Promise<void> {
  const { pointed } = pushed[release]!;
  await pointTo(store, pointed, 0);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  promise.catch(() => {});
  const follower = await Follower.open({
    store,
    out,
    service: BASE_URL,
    clock: () => 0,
    // One call after another, and the same each time.
    parallel: 1,
    pollMs: 1,
    onFault: (error) => error !== null && reject(error),
    onSwitch: (version) => version === pointed.version && resolve(),
  });
  follower.start();
  try {
    await promise;
  } finally {
    await follower.close();
  }
}

/** A server follows from the first release to the second. */
const server = inBucket((bucket) => ({
  prepare: (folder) => follow(outOf(folder), bucket(), 0),
  run: (folder) => follow(outOf(folder), bucket(), 1),
  async problems(folder, isDone) {
    const out = outOf(folder);
    const current = await readCurrent(out).catch((error: Error) => error.message);
    if (current === null || typeof current === 'string') return [current ?? 'nothing is served'];
    const { pointer } = JSON.parse(await readFile(join(out, 'followed.json'), 'utf8'));
    const { size } = current.manifest.ledger;
    const known = ['current', 'followed.json', 'log', 'log-entries', 'releases', 'snapshots'];
    const begun = /^staging-|^current\.next$|^followed\.json\.tmp$/;
    return [
      ...(await problemsBeside(out)),
      ...(await verifyRelease(current.dir)).map((finding) => JSON.stringify(finding)),
      ...((isDone ? SIZES.slice(1) : SIZES).includes(size) ? [] : [`a release of ${size} events is served`]),
      ...(pointer.log.size < size ? [`a log of ${pointer.log.size} events is served`] : []),
      ...(await leftOvers(out, known)).filter(
        (found) => isDone || !begun.test(found.slice(found.lastIndexOf('/') + 1)),
      ),
      ...(isDone && (await readdir(join(out, 'releases'))).length > 2 ? ['more than two releases'] : []),
    ];
  },
}));

/** A publisher brings its folder from the first release to the second. */
const publisher = inBucket((bucket) => {
  const pull = (folder: string, release: number) => {
    const { store, pushed } = bucket();
    const options = { store, out: outOf(folder), recorded: {}, waitMs: 0, parallel: 1 };
    return pullForPublisher(pushed[release]!.pointed, options);
  };
  return {
    async prepare(folder) {
      await cp(bucket().keys, join(folder, 'keys'), { recursive: true });
      await pull(folder, 0);
    },
    run: (folder) => pull(folder, 1),
    async problems(folder, isDone) {
      const known = ['current', 'lock', 'lock.holder', 'log', 'log-entries', 'releases', 'snapshots'];
      return [
        ...(await publishedProblems(folder, isDone ? SIZES.slice(1) : SIZES, isDone)),
        ...(isDone ? await leftOvers(outOf(folder), known) : []),
      ];
    },
  };
});

export const BUCKET_SCENARIOS: Readonly<Record<string, Scenario>> = {
  'a server that follows': server,
  'a publisher that takes over': publisher,
};
