import { hash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { CathedralError } from '../../../pipeline/errors.ts';
import type { LedgerEvent } from '../../../pipeline/ledger/events/event.ts';
import { LEDGER_START } from '../../../pipeline/ledger/log/leaf.ts';
import { openDirectory } from '../../../pipeline/ledger/reading/directory.ts';
import { readHead } from '../../../pipeline/ledger/reading/head.ts';
import { LedgerWriter } from '../../../pipeline/ledger/writing/ledger-writer.ts';
import type { ObjectStore } from '../../../pipeline/objects/object-store.ts';
import { type Database, openDatabase } from '../../../pipeline/postgres/database.ts';
import { LedgerReplica, type ReplicaOptions } from '../../../pipeline/sources/shared/ledger-replica.ts';
import { LedgerSharer, type SharerOptions } from '../../../pipeline/sources/shared/ledger-sharer.ts';
import { SharedLedger } from '../../../pipeline/sources/shared/shared-ledger.ts';
import type { Query } from '../../../pipeline/sql/store.ts';
import { collect, readSealed } from '../../ledger/test-ledger.ts';
import { signer } from '../../ledger/test-signer.ts';

const START = Date.parse('2026-10-01T00:00:00Z');
export const VERIFIERS = [signer.verifier];

/** Objects in memory, as far as a ledger needs them. */
class MemoryObjects implements Pick<ObjectStore, 'name' | 'put' | 'get' | 'list'> {
  readonly name = 's3+http://memory/bucket';
  readonly objects = new Map<string, Buffer>();
  isDown = false;
  /** What a reader gets instead. */
  tamper: ((key: string, bytes: Buffer) => Buffer | null) | null = null;

  async put(key: string, object: Parameters<ObjectStore['put']>[1]) {
    this.#assertUp();
    const bytes = 'file' in object ? readFileSync(object.file) : Buffer.from(object.bytes);
    this.objects.set(key, bytes);
    return { etag: 'e' };
  }

  async get(key: string) {
    this.#assertUp();
    const stored = this.objects.get(key);
    const bytes = stored && this.tamper ? this.tamper(key, stored) : stored;
    if (!bytes) return null;
    const halves = [bytes.subarray(0, bytes.length >> 1), bytes.subarray(bytes.length >> 1)];
    const body = (async function* () {
      yield* halves;
    })();
    return { body, bytes: bytes.length, etag: 'e', sha256: null, date: null };
  }

  async *list(prefix: string) {
    this.#assertUp();
    for (const [key, { length }] of this.objects)
      if (key.startsWith(prefix)) yield { key, bytes: length, etag: 'e', modified: 0 };
  }

  get fault(): CathedralError {
    return new CathedralError('store_failed', { place: this.name, expected: 'an answer', found: 'none' });
  }

  #assertUp(): void {
    if (this.isDown) throw this.fault;
  }
}

/** A process that dies before or after one of its calls, as far as others can tell: nothing it does from then on has an effect. */
class Mortal {
  /** Calls until its death. */
  left: number;

  constructor(left: number) {
    this.left = left;
  }

  get isDead(): boolean {
    return this.left <= 0;
  }

  database(database: Database): Database {
    const mortal = (query: Query): Query =>
      ((text, values) => this.#live(() => query(text, values))) as Query;
    return {
      ...database,
      name: database.name,
      query: mortal(database.query),
      transaction: (work) => this.#live(() => database.transaction((query) => work(mortal(query)))),
    };
  }

  objects(objects: MemoryObjects): Pick<ObjectStore, 'name' | 'put' | 'get' | 'list'> {
    return {
      name: objects.name,
      put: (key, object) => this.#live(() => objects.put(key, object)),
      get: (key) => this.#live(() => objects.get(key)),
      list: (prefix) => objects.list(prefix),
    };
  }

  async #live<T>(call: () => Promise<T>): Promise<T> {
    this.#step();
    const result = await call();
    this.#step();
    return result;
  }

  #step(): void {
    this.left -= 1;
    if (this.isDead) throw new Error('killed');
  }
}

export function newFolder(): string {
  const above = mkdtempSync(join(tmpdir(), 'cathedral-shared-'));
  onTestFinished(() => rmSync(above, { recursive: true, force: true }));
  return join(above, 'ledger');
}

async function connect(address: string): Promise<Database> {
  const database = await openDatabase(address, { application: 'a test', connections: 3, timeoutMs: 60_000 });
  onTestFinished(() => database.close());
  return database;
}

/** A machine with the ledger, and the store that it shares it in. */
export class Machines {
  readonly database: Database;
  readonly shared: SharedLedger;
  readonly objects = new MemoryObjects();
  readonly folder: string;
  writer!: LedgerWriter;
  /** The writer's clock; a slot has 72 events. */
  clock = START;
  sharer: LedgerSharer;

  private constructor(database: Database) {
    this.database = database;
    this.shared = new SharedLedger(database);
    this.folder = newFolder();
    this.sharer = this.newSharer();
  }

  static async start(address: string): Promise<Machines> {
    const machines = new Machines(await connect(address));
    machines.writer = await machines.write(machines.folder);
    return machines;
  }

  async write(folder: string): Promise<LedgerWriter> {
    mkdirSync(join(folder, 'snapshots'), { recursive: true });
    const options = {
      verifiers: VERIFIERS,
      now: () => this.clock,
      waitMs: 0,
      holder: 'a test',
    };
    const writer = await LedgerWriter.open(folder, options);
    onTestFinished(() => writer.close());
    return writer;
  }

  newSharer(options: Partial<SharerOptions> = {}): LedgerSharer {
    const { shared, objects, folder } = this;
    return new LedgerSharer({ folder, verifiers: VERIFIERS, shared, objects, ...options });
  }

  /** What a process uses that dies after so many calls. */
  mortal(calls: number) {
    const mortal = new Mortal(calls);
    const shared = new SharedLedger(mortal.database(this.database));
    return { mortal, options: { shared, objects: mortal.objects(this.objects) } };
  }

  /** One slot, the same each time: some events are shared before they are sealed, some are not, and some are not sealed. */
  async change(): Promise<void> {
    if (this.writer.end.size === 0) await this.append(4);
    await this.append(36);
    await this.sharer.share();
    await this.append(34);
    await this.seal();
    await this.append(1);
    await this.append(1);
  }

  newReplica(options: Partial<ReplicaOptions> = {}): LedgerReplica & { folder: string } {
    const { shared, objects } = this;
    const folder = options.folder ?? newFolder();
    const replica = new LedgerReplica({
      verifiers: VERIFIERS,
      shared,
      objects,
      kind: 'replica',
      waitMs: 0,
      ...options,
      folder,
    });
    return Object.assign(replica, { folder });
  }

  /** Appends events that a reader must see together. */
  async append(count: number, writer = this.writer, agent = 'ATLAS'): Promise<void> {
    const first = writer.end.size;
    const timeOf = (seq: number) => START + seq * 300_000;
    this.clock = Math.max(this.clock, timeOf(first + count - 1));
    const data = { last: first + count - 1 };
    await writer.append(
      Array.from({ length: count }, (_, n) => ({
        type: 'heartbeat',
        agent,
        timestamp: new Date(timeOf(first + n)).toISOString(),
        data,
      })),
    );
  }

  async seal(): Promise<void> {
    await this.writer.seal([signer], { quiet: 'alive' });
  }
}

/** The files of a ledger's folder, by their hash. */
export function filesOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.\w+$/.test(name),
  );
  return Object.fromEntries(
    names.sort().map((name) => [name, hash('sha256', readFileSync(join(folder, name)))]),
  );
}

/** Every event after `from` that a reader gets from a folder, verified. Null: a snapshot was added while it was read. */
export async function eventsOf(folder: string, from = LEDGER_START): Promise<LedgerEvent[] | null> {
  const { leaves, end } = await readSealed(folder, from);
  const head = await collect(readHead(openDirectory(folder), end));
  if (head.end.behind) return null;
  const events = [...leaves, ...head.leaves].map(({ event }) => event);
  // What was appended together shows together, unless a slot ended within it.
  const last = head.leaves.at(-1)?.event.data.last ?? 0;
  const size = from.size + events.length;
  if (Number(last) >= size) throw new Error(`${size} events, and not yet event ${last}`);
  return events;
}
