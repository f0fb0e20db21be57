import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { CathedralError } from '../../../pipeline/errors.ts';
import { openDirectory } from '../../../pipeline/ledger/directory.ts';
import type { LedgerEvent } from '../../../pipeline/ledger/event.ts';
import { readHead } from '../../../pipeline/ledger/head.ts';
import { LedgerWriter } from '../../../pipeline/ledger/ledger-writer.ts';
import { LedgerReplica, type ReplicaOptions } from '../../../pipeline/ledger/shared/ledger-replica.ts';
import { LedgerSharer } from '../../../pipeline/ledger/shared/ledger-sharer.ts';
import { SharedLedger } from '../../../pipeline/ledger/shared/shared-ledger.ts';
import type { ObjectStore } from '../../../pipeline/objects/object-store.ts';
import { type Database, openDatabase } from '../../../pipeline/postgres/database.ts';
import { collect, readLedger } from '../test-ledger.ts';
import { signer } from '../test-signer.ts';

export const START = Date.parse('2026-10-01T00:00:00Z');
export const VERIFIERS = [signer.verifier];

/** Objects in memory, as far as a ledger needs them. */
export class MemoryObjects implements Pick<ObjectStore, 'name' | 'put' | 'get'> {
  readonly name = 's3+http://memory/bucket';
  readonly objects = new Map<string, Buffer>();
  isDown = false;
  /** What a reader gets instead. */
  tamper: ((key: string, bytes: Buffer) => Buffer | null) | null = null;

  async put(key: string, object: Parameters<ObjectStore['put']>[1]) {
    this.#assertUp();
    const bytes = 'file' in object ? readFileSync(object.file) : Buffer.from(object.bytes);
    const known = this.objects.get(key);
    if (known && !known.equals(bytes)) return 'refused' as const;
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

  #assertUp(): void {
    if (!this.isDown) return;
    const fault = { place: this.name, expected: 'an answer', found: 'none' };
    throw new CathedralError('store_failed', fault);
  }
}

export function newFolder(): string {
  const above = mkdtempSync(join(tmpdir(), 'cathedral-shared-'));
  onTestFinished(() => rmSync(above, { recursive: true, force: true }));
  return join(above, 'ledger');
}

export async function connect(address: string): Promise<Database> {
  const database = await openDatabase(address, { application: 'a test', connections: 3 });
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
      durable: false,
    };
    const writer = await LedgerWriter.open(folder, options);
    onTestFinished(() => writer.close());
    return writer;
  }

  newSharer(folder = this.folder): LedgerSharer {
    const { shared, objects } = this;
    return new LedgerSharer({ folder, verifiers: VERIFIERS, shared, objects });
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
      durable: false,
      ...options,
      folder,
    });
    return Object.assign(replica, { folder });
  }

  /** Appends events that a reader must see together. */
  async append(count: number, writer = this.writer, agent = 'ATLAS'): Promise<void> {
    const batch = writer.end.size;
    this.clock = Math.max(this.clock, START + (batch + count) * 300_000);
    const timestamp = new Date(this.clock).toISOString();
    await writer.append(
      Array.from({ length: count }, () => ({
        type: 'heartbeat',
        agent,
        timestamp,
        data: { last: batch + count - 1 },
      })),
    );
  }

  async seal(): Promise<void> {
    await this.writer.seal([signer], { quiet: 'alive' });
  }
}

/** The files of a ledger's folder. */
export function filesOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.\w+$/.test(name),
  );
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(folder, name), 'base64')]));
}

/** Every event that a reader gets from a folder, verified. Null: a snapshot was added while it was read. */
export async function eventsOf(folder: string): Promise<LedgerEvent[] | null> {
  const { leaves, end } = await readLedger(folder, VERIFIERS);
  const head = await collect(readHead(openDirectory(folder), end));
  if (head.end.behind) return null;
  return [...leaves, ...head.leaves].map(({ event }) => event);
}
