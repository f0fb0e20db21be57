import type { LedgerEvent } from '../ledger/events/event.ts';
import { LookAlikes } from '../ledger/events/look-alikes.ts';
import type { Verifier } from '../ledger/notes/note.ts';
import { readLedger } from '../ledger/reading/read-ledger.ts';
import { emptyState } from './empty-state.ts';
import { apply } from './fold.ts';

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
  static async after(ledger: { ledger: string; verifiers: readonly Verifier[] }): Promise<Contradictions> {
    const found = new Contradictions();
    for await (const { leaves } of readLedger(ledger))
      for (const { event } of leaves) {
        found.of(event);
        found.names.of(event, `event ${event.seq}`);
      }
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

/** A finding of the fold as a clause. */
export function clauseOf({ message }: { message: string }): string {
  return message.replace(/^Event \d+: /, '');
}
