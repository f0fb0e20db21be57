import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { HeadWriter } from '../../ledger/append-head.ts';
import { demoSigner } from '../../ledger/demo-key.ts';
import { type LedgerDirectory, openDirectory, snapshotFile } from '../../ledger/directory.ts';
import type { LedgerEvent } from '../../ledger/event.ts';
import type { LedgerPosition } from '../../ledger/leaf.ts';
import type { Signer } from '../../ledger/note.ts';
import { slotId } from '../../ledger/slot.ts';
import { SnapshotWriter } from '../../ledger/write-snapshot.ts';
import { Random } from '../../random.ts';
import type { Simulation } from '../simulation.ts';
import { extraDraft } from './extras.ts';
import { readLedger } from './read-ledger.ts';
import { resumeSimulation } from './resume.ts';

/** A sample ledger on disk that goes on. Whatever moment it is killed at, opening it again goes on from what is there. */
export class Feed {
  readonly #ledger: LedgerDirectory;
  readonly #seed: number;
  readonly #signer: Signer;
  readonly #simulation: Simulation;
  #sealed: LedgerPosition;
  #head: HeadWriter;
  /** Time of the last event, Unix ms. */
  #reached: number;

  private constructor(
    ledger: LedgerDirectory,
    seed: number,
    signer: Signer,
    sealed: LedgerPosition,
    head: HeadWriter,
    simulation: Simulation,
  ) {
    this.#ledger = ledger;
    this.#seed = seed;
    this.#signer = signer;
    this.#sealed = sealed;
    this.#head = head;
    this.#simulation = simulation;
    this.#reached = Date.parse(head.position.timestamp ?? '1970-01-01');
  }

  /** `path` is the ledger's folder; where nothing is in it yet, it begins with genesis. */
  static async open(path: string, seed: number): Promise<Feed> {
    const ledger = openDirectory(path);
    const signer = demoSigner();
    await mkdir(dirname(snapshotFile(path, 'any').events), { recursive: true });
    const found = await readLedger(ledger, [signer.verifier]);
    const { simulation, missing } = resumeSimulation(seed, found);
    const head = await HeadWriter.open(ledger, found.sealed);
    for (const event of missing) head.append(event);
    return new Feed(ledger, seed, signer, found.sealed, head, simulation);
  }

  /** When it has to act next, Unix ms: at the sample's next event, or at the slot's end. */
  get nextAt(): number {
    return this.#simulation.nextAt ?? this.#simulation.slot.end;
  }

  /** Writes what the sample holds up to `now`, and seals each slot that is over. */
  async advance(now: number): Promise<void> {
    this.#appendUntil(now);
    if (this.#simulation.slot.end > now) return;
    this.#sealed = await this.#head.seal(slotId(this.#simulation.slot.end), this.#signer);
    this.#simulation.openNextSlot();
    if (this.#simulation.slot.end <= now) await this.#skip(now);
    this.#appendUntil(now);
  }

  /** Adds an event of its own at `now`, where there is one to add. */
  liven(now: number): void {
    const { seq, world, slot } = this.#simulation;
    const at = Math.floor(now / 1000) * 1000;
    if (at < this.#reached || at < slot.start || at >= slot.end) return;
    const random = new Random(this.#seed, 'feeder', seq);
    const draft = extraDraft(world, random, at);
    if (draft) this.#append(this.#simulation.record(draft, at, random.salt()));
  }

  close(): void {
    this.#head.close();
  }

  #appendUntil(now: number): void {
    const { slot } = this.#simulation;
    const events: LedgerEvent[] = [];
    for (
      let at = this.#simulation.nextAt;
      at !== undefined && at <= now && at < slot.end;
      at = this.#simulation.nextAt
    ) {
      this.#simulation.step(events);
    }
    for (const event of events) this.#append(event);
  }

  #append(event: LedgerEvent): void {
    this.#head.append(event);
    this.#reached = Date.parse(event.timestamp);
  }

  /** Slots that passed while nobody was there go into snapshots at once; the head is empty. */
  async #skip(now: number): Promise<void> {
    const simulation = this.#simulation;
    this.#head.close();
    while (simulation.slot.end <= now) {
      const writer = SnapshotWriter.create(
        this.#ledger.path,
        this.#sealed,
        this.#signer,
        this.#signer.verifier.name,
      );
      const events: LedgerEvent[] = [];
      while (simulation.nextAt !== undefined) simulation.step(events);
      for (const event of events) await writer.append(event);
      this.#sealed = await writer.seal(slotId(simulation.slot.end));
      simulation.openNextSlot();
    }
    this.#head = await HeadWriter.open(this.#ledger, this.#sealed);
  }
}
