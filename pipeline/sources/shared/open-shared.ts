import { hostname } from 'node:os';
import type { Config, SHARED_SETTINGS } from '../../config/settings.ts';
import { software } from '../../config/software.ts';
import { databaseOf } from '../../config/store-place.ts';
import { CathedralError } from '../../errors.ts';
import { openDirectory } from '../../ledger/reading/directory.ts';
import { readHeadEnds } from '../../ledger/reading/head.ts';
import { credentialsFrom } from '../../objects/object-address.ts';
import { type ObjectStore, objectStoreAt } from '../../objects/object-store.ts';
import { type Database, openDatabase } from '../../postgres/database.ts';
import { withLease } from '../../postgres/lease.ts';
import { counted } from '../../words/number.ts';
import type { LocalLedger } from '../own-ledger.ts';
import { LedgerReplica, type ReplicaOptions, type Updated } from './ledger-replica.ts';
import { LedgerSharer } from './ledger-sharer.ts';
import { isContradiction, SharedLedger } from './shared-ledger.ts';

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

export interface Opening {
  /** It starts although the database does not answer. */
  isService: boolean;
  log: (line: string) => void;
}

/** Null: this machine keeps its ledger to itself. Throws config_invalid and store_failed. */
export async function openShared(config: SharedConfig, opening: Opening): Promise<SharedStores | null> {
  const { store, releases } = config;
  const address = databaseOf(store);
  if (address === null || releases === null) return null;
  const { isService, log } = opening;
  const access = { software: software(), access: 'write', log } as const;
  const objects = objectStoreAt(releases, credentialsFrom(config), access);
  try {
    const database = await openDatabase(address, {
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
export async function requireShared(config: SharedConfig, opening: Opening): Promise<SharedStores> {
  const stores = await openShared(config, opening);
  if (stores) return stores;
  const found =
    databaseOf(config.store) === null ? 'no database in CATHEDRAL_STORE' : 'no CATHEDRAL_RELEASES';
  const expected = 'CATHEDRAL_STORE and CATHEDRAL_RELEASES, through which the ledger is shared';
  throw new CathedralError('config_invalid', { place: '--ledger store:', expected, found });
}

/** The clock of the database, so that machines whose clocks differ seal the same slots; without a database, that of the machine. */
export function clockOf(stores: SharedStores | null, now: () => number): () => number {
  return stores ? () => now() + stores.database.clock() : now;
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

/** A folder of this machine and how the others get it. */
export class SharedFolder {
  readonly replica: LedgerReplica;
  readonly sharer: LedgerSharer;
  readonly #stores: SharedStores;
  readonly #log: (line: string) => void;
  readonly #folder: string;

  constructor(
    kind: ReplicaOptions['kind'],
    { ledger: folder, verifiers }: LocalLedger,
    waitMs: number,
    stores: SharedStores,
    log: (line: string) => void,
  ) {
    this.#stores = stores;
    this.#log = log;
    this.#folder = folder;
    const own = { folder, verifiers, kind, waitMs };
    this.replica = new LedgerReplica({ ...own, ...stores });
    this.sharer = new LedgerSharer({ ...own, ...stores });
  }

  async update(): Promise<void> {
    this.#report(await this.replica.update());
  }

  /** Sends what the bucket lacks of what is shared, as after it was restored from a copy. Throws store_failed. */
  async complete(): Promise<void> {
    const sent = await this.sharer.sendAgain();
    if (sent > 0)
      this.#log(
        `${this.#stores.objects.name} lacked ${counted(sent, 'file')} of ledger snapshots: sent again.`,
      );
  }

  #report({ isReplaced }: Updated): void {
    if (!isReplaced) return;
    this.#log(
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
      const [imported] = await Promise.allSettled([importNew()]);
      // The rows before one that stops the import as well. An import of nothing does not decide which ledger the machines share.
      if (imported.status === 'fulfilled' || (await readHeadEnds(openDirectory(this.#folder)))) {
        await this.#shareOrReplace();
        assertSameKey(shared.name, await shared.importKey(importKey), importKey);
      }
      if (imported.status === 'rejected') throw imported.reason;
      return imported.value;
    });
  }

  async #shareOrReplace(): Promise<void> {
    try {
      await this.sharer.share();
    } catch (error) {
      if (!isContradiction(error)) throw error;
      this.#report(await this.replica.replace());
    }
  }
}
