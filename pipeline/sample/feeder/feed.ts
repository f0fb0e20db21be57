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
import { SENTINEL_IDS } from '../../model/sentinel-profiles.ts';
import { Random } from '../../random.ts';
import type { Draft } from '../agenda.ts';
import type { EventGenerator } from '../event-generator.ts';
import { beat } from '../process/heartbeats.ts';
import { burn, lock, partOf, unlock } from '../process/treasury.ts';
import { circulating, isActing, type World } from '../world.ts';
import { readLedger, resumeGenerator } from './resume.ts';

/** The contract that holds fees until they are spent. */
const ESCROW = 'fee_escrow';

/** Appends to a demo ledger on disk. After a kill at any moment, opening it again resumes where it stopped. */
export class Feed {
  readonly #ledger: LedgerDirectory;
  readonly #seed: number;
  readonly #signer: Signer;
  readonly #generator: EventGenerator;
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
    generator: EventGenerator,
  ) {
    this.#ledger = ledger;
    this.#seed = seed;
    this.#signer = signer;
    this.#sealed = sealed;
    this.#head = head;
    this.#generator = generator;
    this.#reached = Date.parse(head.position.timestamp ?? '1970-01-01');
  }

  /** `path` is the ledger's folder; an empty one starts with genesis. */
  static async open(path: string, seed: number): Promise<Feed> {
    const ledger = openDirectory(path);
    const signer = demoSigner();
    await mkdir(dirname(snapshotFile(path, 'any').events), { recursive: true });
    const found = await readLedger(ledger, [signer.verifier]);
    const { generator, missing } = resumeGenerator(seed, found);
    const head = await HeadWriter.open(ledger, found.sealed);
    for (const event of missing) head.append(event);
    return new Feed(ledger, seed, signer, found.sealed, head, generator);
  }

  /** Unix ms of the next action: the sample's next event, or the end of the slot. */
  get nextAt(): number {
    return this.#generator.nextAt ?? this.#generator.slot.end;
  }

  /** Appends the sample's events up to `now`, and seals each slot that has ended. */
  async advance(now: number): Promise<void> {
    this.#appendUntil(now);
    if (this.#generator.slot.end > now) return;
    this.#sealed = await this.#head.seal(slotId(this.#generator.slot.end), this.#signer);
    this.#generator.openNextSlot();
    if (this.#generator.slot.end <= now) await this.#skip(now);
    this.#appendUntil(now);
  }

  /** Appends an extra event at `now`, unless the drawn one is impossible at the moment. */
  liven(now: number): void {
    const { seq, world, slot } = this.#generator;
    const at = Math.floor(now / 1000) * 1000;
    if (at < this.#reached || at < slot.start || at >= slot.end) return;
    const random = new Random(this.#seed, 'feeder', seq);
    const draft = extraDraft(world, random, at);
    if (draft) this.#append(this.#generator.record(draft, at, random.salt()));
  }

  close(): void {
    this.#head.close();
  }

  #appendUntil(now: number): void {
    const { slot } = this.#generator;
    const events: LedgerEvent[] = [];
    for (
      let at = this.#generator.nextAt;
      at !== undefined && at <= now && at < slot.end;
      at = this.#generator.nextAt
    ) {
      this.#generator.step(events);
    }
    for (const event of events) this.#append(event);
  }

  #append(event: LedgerEvent): void {
    this.#head.append(event);
    this.#reached = Date.parse(event.timestamp);
  }

  /** Writes slots that ended while the feeder was stopped directly into snapshots; the head is empty. */
  async #skip(now: number): Promise<void> {
    const generator = this.#generator;
    this.#head.close();
    while (generator.slot.end <= now) {
      const writer = SnapshotWriter.create(
        this.#ledger.path,
        this.#sealed,
        this.#signer,
        this.#signer.verifier.name,
      );
      const events: LedgerEvent[] = [];
      while (generator.nextAt !== undefined) generator.step(events);
      for (const event of events) await writer.append(event);
      this.#sealed = await writer.seal(slotId(generator.slot.end));
      generator.openNextSlot();
    }
    this.#head = await HeadWriter.open(this.#ledger, this.#sealed);
  }
}

/** Small events between those of the sample, so that readers see numbers move. They obey the same rules. */
const EXTRAS: readonly { weight: number; act: (world: World, random: Random, at: number) => Draft | null }[] =
  [
    {
      weight: 0.6,
      act(world, random, at) {
        const acting = SENTINEL_IDS.filter((id) => isActing(world, id, at));
        return acting.length > 0 ? beat(world, random.pick(acting), at) : null;
      },
    },
    { weight: 0.24, act: (world, random) => burn(world, random.between(0.1, 1.5), 'transaction_fee') },
    {
      weight: 0.1,
      act: (world, random) => lock(world, ESCROW, partOf(circulating(world.facts), random.between(2, 20))),
    },
    {
      weight: 0.06,
      act(world, random) {
        const held = world.facts.contracts.get(ESCROW) ?? 0n;
        return unlock(world, ESCROW, partOf(held, random.between(100_000, 600_000)));
      },
    },
  ];

/** One of EXTRAS, drawn by weight; null if it is impossible at the moment. */
function extraDraft(world: World, random: Random, at: number): Draft | null {
  let draw = random.share();
  for (const { weight, act } of EXTRAS) {
    if (draw < weight) return act(world, random, at);
    draw -= weight;
  }
  return null;
}
