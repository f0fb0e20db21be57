import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { swapCurrent } from '../../pipeline/release/disk/swap-current.ts';
import {
  formatManifest,
  type ManifestFile,
  releaseFolder,
  sealWithText,
  sha256,
} from '../../pipeline/release/format/manifest.ts';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import { CREDENTIALS, RadosGateway } from '../engines/object-store.ts';
import { smallService } from '../release/small-service.ts';
import { type Measured, measure, median } from './child.ts';
import { compare, type Report } from './figure.ts';
import { withScratch } from './scratch.ts';

/** A release of the demo has 1,330 with their compressed variants, and each later year adds some. */
const FILES = 1_900;
const BYTES = 20_000;
const CHANGED = 10;
const PARALLEL = 16;
const ROUNDS = 3;
/** A publication for a static host lists the bucket, because the record of the last one does not say who else wrote to it. */
const LISTING = 0.5;

interface Pushed extends Measured {
  objects: number;
  pointed: object;
}

/** What a push of a release costs beside rclone, which copies the same objects to the same store with as many transfers. */
export async function objects(report: Report): Promise<void> {
  const gateway = await RadosGateway.start();
  try {
    await withScratch(async (folder) => {
      const out = await publishMany(join(folder, 'service'));
      const [first, copied, next, synced, site, nextSite]: number[][] = [[], [], [], [], [], []];
      for (let round = 0; round < ROUNDS; round += 1) {
        const names = { push: `push-${round}`, copy: `copy-${round}`, site: `site-${round}` };
        const [address, , siteAddress] = await Promise.all(
          Object.values(names).map((name) => gateway.bucket(name)),
        );
        const copy = join(folder, names.copy);
        const pushed = await push(address!, out);
        first!.push(pushed.ms);
        site!.push((await push(siteAddress!, out, 'site')).ms);
        // The reference gets what is in the bucket now: as many objects of the same sizes.
        await rclone(gateway, 'copy', `r:${names.push}`, copy);
        copied!.push(await rclone(gateway, 'copy', copy, `r:${names.copy}`));
        await change(out, round);
        const again = await push(address!, out, JSON.stringify(pushed.pointed));
        next!.push(again.ms);
        nextSite!.push((await push(siteAddress!, out, 'site')).ms);
        await rclone(gateway, 'copy', `r:${names.push}`, copy);
        synced!.push(await rclone(gateway, 'sync', copy, `r:${names.copy}`));
      }
      report(
        compare('first push of a release ÷ rclone copy', median(first!), median(copied!), 'ms', 1),
        compare(`push of ${CHANGED} new files ÷ rclone sync`, median(next!), median(synced!), 'ms', 0.2),
        compare('first publication for a static host ÷ rclone copy', median(site!), median(copied!), 'ms', 1),
        compare(
          `publication of ${CHANGED} new files ÷ rclone sync`,
          median(nextSite!),
          median(synced!),
          'ms',
          LISTING,
        ),
      );
    });
  } finally {
    gateway.stop();
  }
}

async function push(address: string, out: string, previous?: string): Promise<Pushed> {
  const args = [address, out, ...(previous === undefined ? [] : [previous])];
  return (await measure('push', args)) as Pushed;
}

/** The time that it took, in ms. */
async function rclone(
  gateway: RadosGateway,
  command: 'copy' | 'sync',
  from: string,
  to: string,
): Promise<number> {
  const env = {
    // Not the environment of this process, which may have settings for other stores.
    PATH: process.env.PATH,
    RCLONE_CONFIG: '/dev/null',
    RCLONE_CONFIG_R_TYPE: 's3',
    RCLONE_CONFIG_R_PROVIDER: 'Ceph',
    RCLONE_CONFIG_R_ENDPOINT: gateway.endpoint,
    RCLONE_CONFIG_R_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    RCLONE_CONFIG_R_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
  };
  const parallel = ['--transfers', `${PARALLEL}`, '--checkers', `${PARALLEL}`];
  const start = performance.now();
  await promisify(execFile)('rclone', [command, from, to, ...parallel, '--s3-no-check-bucket'], { env });
  return performance.now() - start;
}

/** A release with many small files, and a folder of a publisher around it. */
async function publishMany(folder: string): Promise<string> {
  const of = smallService(folder);
  await of.seal(300);
  await of.publish({ snapshots: { days: 366 } });
  await replaceFiles(of.out, (index) => `${index}`);
  return of.out;
}

const change = (out: string, round: number) =>
  replaceFiles(out, (index) => (index < CHANGED ? `${round}, ${index}` : `${index}`));

/** Seals the current release again, with other contents of the many files and a higher version. */
async function replaceFiles(out: string, nameOf: (index: number) => string): Promise<void> {
  const { dir, manifest } = (await readCurrent(out))!;
  const { format: _, release: __, content: ___, digest: ____, signed, ...body } = manifest;
  const many: ManifestFile[] = [];
  await mkdir(join(dir, 'public/many'), { recursive: true });
  for (let index = 0; index < FILES; index += 1) {
    const content = createHash('shake256', { outputLength: BYTES }).update(nameOf(index)).digest();
    const path = `many/${index}`;
    await writeFile(join(dir, 'public', path), content);
    const about = { kind: 'asset', area: null, restricted: false, rows: null, immutable: false } as const;
    const blob = { bytes: content.length, sha256: sha256(content), encodings: {} };
    many.push({
      path,
      ...about,
      ...blob,
      media_type: 'application/octet-stream',
      modified: manifest.timestamp,
    });
  }
  const others = body.files.filter(({ path }) => !path.startsWith('many/'));
  const next = { ...signed!, version: signed!.version + 1 };
  const { manifest: sealed } = sealWithText({ ...body, signed: next, files: [...others, ...many] });
  const id = releaseFolder(sealed);
  await rename(dir, join(out, 'releases', id));
  await writeFile(join(out, 'releases', id, 'manifest.json'), formatManifest(sealed));
  await swapCurrent(out, id, null);
}
