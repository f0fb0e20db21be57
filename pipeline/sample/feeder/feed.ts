import { dirname } from 'node:path';
import { makeFolder } from '../../disk/durable.ts';
import type { LedgerEvent } from '../../ledger/events/event.ts';
import { snapshotFile } from '../../ledger/reading/directory.ts';
import { demoSigner } from '../../ledger/writing/demo-key.ts';
import { LedgerWriter } from '../../ledger/writing/ledger-writer.ts';
import { SENTINEL_IDS } from '../../model/sentinel-profiles.ts';
import { Random } from '../../random.ts';
import type { Draft } from '../agenda.ts';
import type { EventGenerator } from '../event-generator.ts';
import { beat } from '../process/heartbeats.ts';
import { burn, lock, partOf, unlock } from '../process/treasury.ts';
import { circulating, isActing, type World } from '../world.ts';
import { readDemoLedger, resumeGenerator } from './resume.ts';

/** The contract that holds fees until they are spent. */
const ESCROW = 'fee_escrow';
/** Most extra events to draw at a time until one is possible. */
const MOST_DRAWS = 20;

/** Appends to a demo ledger on disk. After a kill at any moment, opening it again resumes where it stopped. */
export class Feed {
  readonly #seed: number;
  readonly #generator: EventGenerator;
  readonly #writer: LedgerWriter;

  private constructor(seed: number, writer: LedgerWriter, generator: EventGenerator) {
    this.#seed = seed;
    this.#writer = writer;
    this.#generator = generator;
  }

  /** `path` is the ledger's folder; an empty one starts with genesis. Throws locked, and the errors of reading a ledger. */
  static async open(path: string, seed: number, now: () => number): Promise<Feed> {
    await makeFolder(dirname(snapshotFile(path, 'any').events));
    const verifiers = [demoSigner().verifier];
    const holder = `sample --follow, process ${process.pid}`;
    const writer = await LedgerWriter.open(path, { verifiers, now, waitMs: 0, holder });
    try {
      const { generator, missing } = resumeGenerator(seed, await readDemoLedger(path, verifiers));
      await writer.append(missing);
      return new Feed(seed, writer, generator);
    } catch (error) {
      writer.close();
      throw error;
    }
  }

  /** Unix ms of the next action: the sample's next event, or the end of the slot. */
  get nextAt(): number {
    return this.#generator.nextAt ?? this.#generator.slot.end;
  }

  /** Appends the sample's events up to `now`, and seals each slot that has ended. */
  async advance(now: number): Promise<void> {
    const isOver = this.#generator.slot.end <= now;
    await this.#writer.append(this.#eventsUntil(now));
    if (isOver) await this.#writer.seal([demoSigner()]);
  }

  /** Appends an extra event at `now`, the first of those drawn that is possible at the moment. */
  async liven(now: number): Promise<void> {
    const { seq, world, slot } = this.#generator;
    const at = Math.floor(now / 1000) * 1000;
    const reached = Date.parse(this.#writer.end.timestamp ?? '1970-01-01');
    if (at < reached || at < slot.start || at >= slot.end) return;
    const random = new Random(this.#seed, 'feeder', seq);
    let draft: Draft | null = null;
    // The draw depends on the seq alone, so an impossible one would be drawn again until the sample's next event.
    for (let draws = 0; draft === null && draws < MOST_DRAWS; draws += 1)
      draft = extraDraft(world, random, at);
    if (draft) await this.#writer.append([this.#generator.record(draft, at, random.salt())]);
  }

  close(): void {
    this.#writer.close();
  }

  *#eventsUntil(now: number): Generator<LedgerEvent> {
    const generator = this.#generator;
    for (;;) {
      const { end } = generator.slot;
      while ((generator.nextAt ?? end) < end && generator.nextAt! <= now) {
        const events: LedgerEvent[] = [];
        generator.step(events);
        yield* events;
      }
      if (end > now) return;
      generator.openNextSlot();
    }
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
