/**
 * One push of a release: `push.ts ADDRESS OUT`, after another one with what that reported: `push.ts ADDRESS OUT POINTED`. With `site` in its
 * place: one publication for a static host.
 */

import { publishSite } from '../../../pipeline/bucket/publish-site.ts';
import { openPush } from '../../../pipeline/bucket/push.ts';
import { type ObjectStore, openObjectStore } from '../../../pipeline/objects/object-store.ts';
import { readCurrent } from '../../../pipeline/release/format/release.ts';
import { CREDENTIALS } from '../../engines/object-store.ts';
import { report } from '../child.ts';

/** That of the reference. */
const PARALLEL = 16;
const [, , address, out, previous] = process.argv as [string, string, string, string, string?];

// A run that pushes has just made the release.
const release = (await readCurrent(out))!;

await report(async () => {
  const objects = await openObjectStore(address, CREDENTIALS, { access: 'write', software: 'bench/0' });
  const done = previous === 'site' ? await publish(objects) : await push(objects);
  objects.close();
  return done;
});

async function push(objects: ObjectStore): Promise<object> {
  const opened = await openPush({
    out,
    objects,
    service: 'https://data.example.org',
    previous: previous === undefined ? null : JSON.parse(previous),
    parallel: PARALLEL,
    log: () => {},
  });
  const pointed = await opened.release(release);
  return { objects: opened.sent.objects, pointed: { ...pointed, epoch: 1 } };
}

async function publish(store: ObjectStore): Promise<object> {
  const options = { waitMs: 0, graceMs: 0, now: Date.now, folderPages: false, recheck: false };
  const { uploaded } = await publishSite({ out, store, ...options, log: () => {} });
  return { objects: uploaded.files };
}
