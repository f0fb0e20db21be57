import type { LedgerEvent } from '../../../pipeline/ledger/events/event.ts';
import { LEDGER_START, type Leaf } from '../../../pipeline/ledger/log/leaf.ts';
import { openDirectory } from '../../../pipeline/ledger/reading/directory.ts';
import { readHead } from '../../../pipeline/ledger/reading/head.ts';
import { readSnapshot } from '../../../pipeline/ledger/reading/read-snapshot.ts';
import { apply } from '../../../pipeline/model/fold.ts';
import { emptyState } from '../../../pipeline/model/state.ts';
import type { LocalLedger } from '../../../pipeline/sources/own-ledger.ts';
import { LookAlikes } from '../../../pipeline/sources/rows/look-alikes.ts';

/** Types whose id names one thing for good. The fold forgets closed ones, so it does not notice a second one of the same id. */
const NAMING: Readonly<Record<string, string>> = {
  decision_recorded: 'decision',
  deliberation_opened: 'deliberation',
};

/** Finds what an event contradicts in the events before it. */
export class Contradictions {
  #state = emptyState();
  readonly #named = new Set<string>();
  /** The names of the ledger. */
  readonly names = new LookAlikes();

  /** After every event of a ledger: as expensive as reading it for a rebuild. Throws the errors of reading a ledger. */
  static async after({ ledger, verifiers }: LocalLedger): Promise<Contradictions> {
    const found = new Contradictions();
    const take = (leaves: readonly Leaf[]) => {
      for (const { event } of leaves) {
        found.of(event);
        found.names.of(event, `event ${event.seq}`);
      }
    };
    const directory = openDirectory(ledger);
    let position = LEDGER_START;
    for (const file of await directory.snapshots(null)) {
      const leaves = readSnapshot(file, position, verifiers);
      let step = await leaves.next();
      for (; !step.done; step = await leaves.next()) take(step.value);
      const { snapshot, size, range, timestamp } = step.value;
      position = { snapshot, size, range, timestamp };
    }
    for await (const leaves of readHead(directory, position)) take(leaves);
    return found;
  }

  /** What the next event contradicts, one clause each. */
  of(event: LedgerEvent): string[] {
    const before = this.#state.findings.total;
    this.#state = apply(this.#state, { event, hash: '' });
    const added = this.#state.findings.total - before;
    const clauses = added === 0 ? [] : this.#state.findings.recent.slice(-added).map(clauseOf);
    const kind = NAMING[event.type];
    if (kind === undefined) return clauses;
    const name = `${kind} ${event.data[kind]}`;
    if (this.#named.has(name) && clauses.length === 0) clauses.push(`${name} exists already`);
    this.#named.add(name);
    return clauses;
  }
}

function clauseOf({ message }: { message: string }): string {
  return message.replace(/^Event \d+: /, '');
}
