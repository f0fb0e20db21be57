import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { demoSigner } from '../../pipeline/ledger/writing/demo-key.ts';
import { LedgerWriter } from '../../pipeline/ledger/writing/ledger-writer.ts';

/** Adds events to the head of a ledger whose snapshots `out` holds a release of: burns, each a second later. */
export class HeadFeed {
  readonly #writer: LedgerWriter;
  readonly #cycle: string;

  private constructor(writer: LedgerWriter, cycle: string) {
    this.#writer = writer;
    this.#cycle = cycle;
  }

  static async open(ledger: string, out: string): Promise<HeadFeed> {
    const { state } = JSON.parse(await readFile(join(out, 'current', 'state.json'), 'utf8'));
    const verifiers = [demoSigner().verifier];
    // The time that a disk takes to be sure is the writer's, not the readers'.
    const options = { verifiers, now: Date.now, waitMs: 0, holder: 'a benchmark' };
    return new HeadFeed(await LedgerWriter.open(ledger, options), state.cycle);
  }

  /** Of the event: its own time, and when it began to be written on the clock of `performance.now`. */
  async append(): Promise<{ timestamp: string; at: number }> {
    const { timestamp: last } = this.#writer.end;
    const timestamp = new Date(Date.parse(last!) + 1000).toISOString().replace('.000', '');
    const data = { amount: '0.000001', reason: 'transaction_fee' };
    const event = { timestamp, cycle: this.#cycle, type: 'mic_burn', agent: 'TREASURY', data };
    const at = performance.now();
    await this.#writer.append([{ ...event, salt: 'A'.repeat(22) }]);
    return { timestamp, at };
  }
}
