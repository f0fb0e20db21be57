import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HeadWriter } from '../../pipeline/ledger/append-head.ts';
import { openDirectory } from '../../pipeline/ledger/directory.ts';
import type { LedgerPosition } from '../../pipeline/ledger/leaf.ts';

/** Adds events to the head of a ledger whose snapshots `out` holds a release of: burns, each a second later. */
export class HeadFeed {
  readonly #head: HeadWriter;
  readonly #cycle: string;

  private constructor(head: HeadWriter, cycle: string) {
    this.#head = head;
    this.#cycle = cycle;
  }

  static async open(ledger: string, out: string): Promise<HeadFeed> {
    const { position, state } = JSON.parse(await readFile(join(out, 'current', 'state.json'), 'utf8'));
    // The time that a disk takes to be sure is the writer's, not the readers'.
    const head = await HeadWriter.open(openDirectory(ledger), position as LedgerPosition, { durable: false });
    return new HeadFeed(head, state.cycle);
  }

  /** Of the event: its own time, and when it began to be written on the clock of `performance.now`. */
  append(): { timestamp: string; at: number } {
    const { size, timestamp: last } = this.#head.position;
    const timestamp = new Date(Date.parse(last!) + 1000).toISOString().replace('.000', '');
    const data = { amount: '0.000001', reason: 'transaction_fee' };
    const event = { seq: size, timestamp, cycle: this.#cycle, type: 'mic_burn', agent: 'TREASURY', data };
    const at = performance.now();
    this.#head.append({ ...event, salt: 'A'.repeat(22) });
    return { timestamp, at };
  }
}
