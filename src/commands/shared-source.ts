import { hostname } from 'node:os';
import type { Config } from '../../pipeline/config/settings.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import type { Verifier } from '../../pipeline/ledger/notes/note.ts';
import { credentialsFrom } from '../../pipeline/objects/object-address.ts';
import { type ObjectStore, objectStoreAt } from '../../pipeline/objects/object-store.ts';
import { type Database, openDatabase } from '../../pipeline/postgres/database.ts';
import { withLease } from '../../pipeline/postgres/lease.ts';
import { followerOf } from '../../pipeline/sources/shared/follower.ts';
import {
  isContradiction,
  LedgerReplica,
  type ReplicaOptions,
  type Updated,
} from '../../pipeline/sources/shared/ledger-replica.ts';
import { LedgerSharer } from '../../pipeline/sources/shared/ledger-sharer.ts';
import { SharedLedger } from '../../pipeline/sources/shared/shared-ledger.ts';
import { software } from './software.ts';
import type { SHARED_SETTINGS } from './source-settings.ts';

export type SharedConfig = Pick<Config, (typeof SHARED_SETTINGS)[number]>;

/** One at a time, and one that imports meanwhile. */
const CONNECTIONS = 2;
const LEASE = 'import';

/** The ledger's part of the database and of the bucket. */
export interface SharedStores {
  database: Database;
  shared: SharedLedger;
  objects: ObjectStore;
  close(): Promise<void>;
}

/**
 * Null: this machine keeps its ledger to itself. `isService`: it starts although the database does not answer. Throws config_invalid and
 * store_failed.
 */
export async function openShared(
  config: SharedConfig,
  { isService, log }: { isService: boolean; log: (line: string) => void },
): Promise<SharedStores | null> {
  const { store, releases } = config;
  if (store === null || releases === null) return null;
  const objects = objectStoreAt(releases, credentialsFrom(config), {
    software: software(),
    access: 'write',
    log,
  });
  try {
    const database = await openDatabase(store, {
      application: 'cathedral ledger',
      connections: CONNECTIONS,
      whenUnreachable: isService ? 'retry' : 'fail',
    });
    const close = async () => {
      objects.close();
      await database.close();
    };
    return { database, shared: new SharedLedger(database), objects, close };
  } catch (error) {
    objects.close();
    throw error;
  }
}

/** As `openShared`, for a ledger that is nowhere else. */
export async function requireShared(
  config: SharedConfig,
  options: Parameters<typeof openShared>[1],
): Promise<SharedStores> {
  const stores = await openShared(config, options);
  if (stores) return stores;
  const found = config.store === null ? 'no CATHEDRAL_STORE' : 'no CATHEDRAL_RELEASES';
  const expected = 'CATHEDRAL_STORE and CATHEDRAL_RELEASES, through which the ledger is shared';
  throw new CathedralError('config_invalid', { place: '--ledger store:', expected, found });
}

/** Throws config_invalid for a folder that only takes what other machines share. */
export function assertNoReplica(folder: string): void {
  if (followerOf(folder)?.kind !== 'replica') return;
  throw new CathedralError('config_invalid', {
    place: '--ledger',
    expected: 'a ledger in a folder that is written here',
    found: `${folder}, a replica of a ledger that another machine writes and shares`,
  });
}

/** Throws config_invalid where an import would not see what other machines have imported. */
export function assertNotShared(folder: string): void {
  if (followerOf(folder) === null) return;
  throw new CathedralError('config_invalid', {
    place: 'CATHEDRAL_STORE, CATHEDRAL_RELEASES',
    expected: `where the ledger in ${folder} is shared with other machines`,
    found: 'one or none of them',
  });
}

/** A folder of this machine and how the others get it. */
export class SharedFolder {
  readonly replica: LedgerReplica;
  readonly sharer: LedgerSharer;
  readonly #stores: SharedStores;
  readonly #told: (line: string) => void;

  constructor(
    stores: SharedStores,
    own: Pick<ReplicaOptions, 'folder' | 'kind' | 'waitMs'> & { verifiers: readonly Verifier[] },
    told: (line: string) => void,
  ) {
    this.#stores = stores;
    this.#told = told;
    this.replica = new LedgerReplica({ ...own, ...stores });
    this.sharer = new LedgerSharer({ ...own, ...stores });
  }

  async update(): Promise<void> {
    this.tell(await this.replica.update());
  }

  tell({ isReplaced }: Updated): void {
    if (!isReplaced) return;
    this.#told(
      'Other machines share other events than this one had imported. Theirs count; those of this machine alone are removed, and their rows are compared again by the next imports.',
    );
  }

  /**
   * Imports as the only machine that does, after what the others have imported, and shares it. `importKey`: the fingerprint of the key, which
   * all machines have in common. Throws locked if another machine imports for longer than `waitMs`.
   */
  async import<T>(importKey: string, waitMs: number, importNew: () => Promise<T>): Promise<T> {
    const { database, shared } = this.#stores;
    const holder = `${hostname()}, process ${process.pid}`;
    return withLease(database, { name: LEASE, holder, waitMs }, async () => {
      assertSameKey(shared.name, await shared.knownImportKey(), importKey);
      await this.update();
      // What an import that was killed has not shared.
      if ((await shared.facts()) !== null) await this.#shareOrReplace();
      const report = await importNew();
      await this.#shareOrReplace();
      assertSameKey(shared.name, await shared.importKey(importKey), importKey);
      return report;
    });
  }

  async #shareOrReplace(): Promise<void> {
    try {
      await this.sharer.share();
    } catch (error) {
      if (!isContradiction(error)) throw error;
      this.tell(await this.replica.replace());
    }
  }
}

/** Throws config_invalid: with another import key, the same events would get other hashes, and nobody would know the signature. */
export function assertSameKey(store: string, known: string | null, own: string): void {
  if (known === null || known === own) return;
  throw new CathedralError('config_invalid', {
    place: '--import-key',
    expected: `the key with the fingerprint ${known}, with which other machines import into ${store}`,
    found: own,
  });
}
