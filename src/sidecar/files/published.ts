import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type pino from 'pino';
import { RELEASE_CHANNEL } from '../../../pipeline/bucket/current-release.ts';
import { FOLLOWED } from '../../../pipeline/bucket/followed-folder.ts';
import { Follower } from '../../../pipeline/bucket/follower.ts';
import { NothingPublished } from '../../../pipeline/bucket/pointer-reader.ts';
import type { Config } from '../../../pipeline/config/settings.ts';
import { exists } from '../../../pipeline/disk/durable.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { credentialsFrom } from '../../../pipeline/objects/object-address.ts';
import { objectStoreAt, type S3Store } from '../../../pipeline/objects/object-store.ts';
import type { Database } from '../../../pipeline/postgres/database.ts';
import { readStatus, type Status } from '../../../pipeline/release/format/status.ts';
import { TransientFault } from '../../../pipeline/transient-fault.ts';
import { Problem } from '../../api/problem.ts';
import { Replicas } from '../health/replicas.ts';
import type { PUBLISHED_SETTINGS } from '../server-settings.ts';
import { createLogFiles, type LogFiles } from './log-files.ts';
import type { Switching } from './releases.ts';
import { ServedSnapshots } from './served-snapshots.ts';

type PublishedConfig = Pick<Config, (typeof PUBLISHED_SETTINGS)[number]>;

/** What is published, wherever it comes from. */
export interface Published {
  snapshots: ServedSnapshots;
  log: LogFiles;
  /** `/status.json` */
  readStatus: () => Promise<Status | null>;
  /** How this replica follows the others; null on a single machine. */
  following: Following | null;
  close: () => Promise<void>;
}

export interface Following {
  /** Why new releases may not arrive, without paths and addresses; null if they do. */
  fault: () => string | null;
  /** Hears what the other replicas serve, unless that has just happened. Never rejects. */
  refresh: () => Promise<void>;
  /** Whether another live replica serves a newer release or is about to: readers should go there. */
  isLate: () => boolean;
  /** Whether the process was paused, and has not yet found out what it missed. */
  isResuming: () => boolean;
  /** When requests have to wait for a switch. */
  switching: Switching;
  /** Version of the release that is served; 0 for none. */
  version: () => number;
}

export interface PublishedMeans {
  logger: pino.Logger;
  /** Null: replicas do not hear of each other, and the object store's clock counts. */
  database: Database | null;
  /** Other folders of releases on this machine, from which equal files are linked. */
  alsoIn: readonly string[];
  /** `cathedral-data-service/1.0.0` */
  software: string;
  /** Whether this replica accepts requests for good. */
  isReady: () => boolean;
}

/** Gives up sooner than a publisher does: the follower looks again after two seconds. */
const PATIENCE = { attempts: 3, stallMs: 5000 };

/**
 * Opens the folder of releases, or follows a bucket into it. Throws config_invalid for an address, credentials or a bucket that cannot be
 * right, and publish_failed; a store that does not answer stops nobody.
 */
export async function openPublished(config: PublishedConfig, means: PublishedMeans): Promise<Published> {
  const { out } = config;
  if (config.releases !== null) return follow(config, config.releases, means);
  return {
    snapshots: new ServedSnapshots(out),
    log: createLogFiles(out),
    readStatus: () => readStatus(out),
    following: null,
    close: async () => {},
  };
}

async function follow(
  config: PublishedConfig,
  address: string,
  { logger, database, alsoIn, software, isReady }: PublishedMeans,
): Promise<Published> {
  const { out, baseUrl: service } = config;
  await assertOwnFolder(out);
  const log = (line: string) => logger.warn(line);
  const options = { access: 'read', software, log, ...PATIENCE } as const;
  const store = objectStoreAt(address, credentialsFrom(config), options);
  // Once only: a store that does not answer would delay the start of a server that has a release.
  await assertUsable(objectStoreAt(address, credentialsFrom(config), { ...options, attempts: 1 }));
  const follower = await Follower.open({
    store,
    out,
    alsoIn,
    service,
    clock: database && (() => database.clock()),
    onFault: (err) => {
      if (err instanceof NothingPublished) logger.warn(`${store.name} has no release yet`);
      else if (err) logger.error({ err }, 'releases cannot be followed; the current one is served');
      else logger.warn('releases are followed again');
    },
    onSwitch: () => void replicas?.announce(),
    onResume: async () => replicas?.announce(),
  });
  const replicas =
    database &&
    new Replicas({
      database,
      service,
      name: `${hostname()} ${process.pid} ${randomBytes(4).toString('hex')}`,
      version: () => follower.upcoming,
      isReady: () => isReady() && follower.version > 0,
      report: (err) => logger.error({ err }, 'what this replica serves cannot be announced'),
    });
  const unlisten = database?.listen(RELEASE_CHANNEL, () => follower.wake());
  follower.start();
  void replicas?.announce();
  const settled = async () => {
    if (performance.now() >= follower.certainUntil) await follower.settle();
  };
  const ready = async () => {
    await settled();
    if (!follower.pointer)
      throw new Problem('unavailable', 'The first release is being fetched.', { 'Retry-After': '10' });
  };
  return {
    snapshots: new ServedSnapshots(out, ready),
    log: createLogFiles(out, ready),
    readStatus: async () => {
      await settled();
      return follower.pointer?.status ?? null;
    },
    following: {
      fault: () => follower.fault(),
      refresh: async () => replicas?.refresh(),
      isLate: () => replicas?.isLate() ?? false,
      isResuming: () => follower.isResuming,
      switching: follower,
      version: () => follower.version,
    },
    close: async () => {
      unlisten?.();
      await Promise.all([follower.close(), replicas?.close()]);
      store.close();
    },
  };
}

/** A follower replaces the releases in its folder. Throws config_invalid for that of a publisher or a mirror. */
async function assertOwnFolder(out: string): Promise<void> {
  if (await exists(join(out, FOLLOWED))) return;
  for (const name of ['log', 'mirror.json'])
    if (await exists(join(out, name)))
      throw new CathedralError('config_invalid', {
        place: `--out ${out}`,
        expected: 'a folder that only this server uses, which follows --releases',
        found: `${name === 'log' ? 'the folder of a publisher' : 'a mirror'}, with ${name} in it`,
      });
}

/** Throws what only an operator can change: a refused key, a missing bucket. */
async function assertUsable(store: S3Store): Promise<void> {
  try {
    await store.probe();
  } catch (error) {
    if (!(error instanceof CathedralError && error.cause instanceof TransientFault)) throw error;
  } finally {
    store.close();
  }
}
