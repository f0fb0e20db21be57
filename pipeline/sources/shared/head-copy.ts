import type { LedgerPosition } from '../../ledger/log/leaf.ts';
import type { LedgerDirectory } from '../../ledger/reading/directory.ts';
import { readHeadLines } from '../../ledger/reading/head.ts';
import { appendInPlace, NewHead } from '../../ledger/writing/new-head.ts';
import type { SharedLine } from './shared-ledger.ts';

/** What is in `head.ndjson`; HeadCopy changes it with the file. */
export interface LocalHead {
  /** End of the newest snapshot. */
  position: LedgerPosition;
  /** Seq after the last event. */
  end: number;
  /** Bytes of complete lines in the head. */
  bytes: number;
  /** The head is missing, lacks events or has sealed ones, so it must be rewritten. */
  isOutdated: boolean;
}

const COPY_BYTES = 1024 * 1024;
export const LINE_END = Buffer.from('\n');

/** The next `head.ndjson`: the old one with new lines, in place where there is one, or without what is sealed. */
export class HeadCopy {
  readonly #ledger: LedgerDirectory;
  readonly #local: LocalHead;
  readonly #durable: boolean;
  #copy: NewHead | undefined;
  #single: Buffer | null = null;
  #count = 0;

  constructor(ledger: LedgerDirectory, local: LocalHead, durable: boolean) {
    this.#ledger = ledger;
    this.#local = local;
    this.#durable = durable;
  }

  async add(lines: readonly SharedLine[]): Promise<void> {
    if (lines.length === 0) return;
    const bytes = Buffer.concat(lines.flatMap(({ line }) => [line, LINE_END]));
    const isFirst = this.#count === 0;
    this.#count += lines.length;
    if (isFirst && lines.length === 1 && !this.#local.isOutdated) {
      this.#single = bytes;
      return;
    }
    await this.#begin();
    await this.#copy!.write(bytes);
  }

  async commit(): Promise<void> {
    const local = this.#local;
    if (local.isOutdated) await this.#begin();
    if (this.#copy) {
      local.bytes = await this.#copy.commit();
      local.isOutdated = false;
    } else if (this.#single) {
      await appendInPlace(this.#ledger.head, local.bytes, this.#single, this.#durable);
      local.bytes += this.#single.length;
    }
    local.end += this.#count;
  }

  async discard(): Promise<void> {
    await this.#copy?.discard();
  }

  async #begin(): Promise<void> {
    if (this.#copy) return;
    const { isOutdated, bytes, position, end } = this.#local;
    this.#copy = await NewHead.begin(this.#ledger.head, isOutdated ? 0 : bytes, this.#durable);
    if (isOutdated && bytes > 0 && end > position.size) await this.#keep(position.size);
    if (this.#single) await this.#copy.write(this.#single);
    this.#single = null;
  }

  /** Takes over the lines from seq `from` on. */
  async #keep(from: number): Promise<void> {
    let batch: Buffer[] = [];
    let bytes = 0;
    const flush = async () => {
      await this.#copy!.write(Buffer.concat(batch));
      batch = [];
      bytes = 0;
    };
    for await (const lines of readHeadLines(this.#ledger, from)) {
      for (const { line } of lines) {
        batch.push(line, LINE_END);
        bytes += line.length + 1;
      }
      if (bytes >= COPY_BYTES) await flush();
    }
    await flush();
  }
}
