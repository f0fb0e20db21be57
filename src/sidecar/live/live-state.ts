import type { View } from '../../../pipeline/artifacts/artifact.ts';
import { readDocuments } from '../../../pipeline/artifacts/documents.ts';
import { readCompanions } from '../../../pipeline/artifacts/read-companions.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import type { Verifier } from '../../../pipeline/ledger/note.ts';
import type { State } from '../../../pipeline/model/state.ts';
import type { Releases, ServedRelease } from '../files/releases.ts';
import { LedgerFold } from './ledger-fold.ts';
import type { LiveDocuments } from './live-documents.ts';
import { publicFault } from './public-fault.ts';
import { releaseResume } from './release-resume.ts';

export interface LiveStateOptions {
  /** Folder of the ledger that the releases are made of. */
  ledger: string;
  /** Keys of which one must have signed each checkpoint. */
  verifiers: readonly Verifier[];
  releases: Pick<Releases, 'current'>;
  /** Folder of the documents that people write. */
  documents: string;
  /** A JSON file: who may attest. Null: nobody, but in a sample ledger. */
  companions: string | null;
  baseUrl: string;
  /** Where what is new is shown. */
  shown: Pick<LiveDocuments, 'show'>;
  /** Called once for each fault, however often it is met. */
  report: (error: unknown) => void;
}

interface Fault {
  /** Tells it from others: what was reported already is not reported again. */
  id: string;
  /** For everybody. */
  text: string;
}

interface Shown {
  state: State;
  /** How many it had when it was shown. */
  events: number;
  /** The snapshot from which it goes on. */
  snapshot: string | null;
}

/**
 * The newest release's state, gone on from with what the ledger has since. What is shown never goes back to fewer events,
 * unless a later snapshot has signed for that; where the ledger cannot be read, the last state stays.
 */
export class LiveState {
  readonly #options: LiveStateOptions;
  #release: ServedRelease | null = null;
  #inputs: Pick<View, 'documents' | 'companions' | 'baseUrl'> | null = null;
  #fold: LedgerFold | null = null;
  #shown: Shown | null = null;
  #faults: readonly Fault[] = [{ id: '', text: 'nothing was read yet' }];

  constructor(options: LiveStateOptions) {
    this.#options = options;
  }

  /** Why what is shown may be older than the ledger; null where it is not. */
  get fault(): string | null {
    return this.#faults.at(-1)?.text ?? null;
  }

  /** Of the newest event shown; null before there is one. */
  get timestamp(): string | null {
    return this.#shown?.state.asOf ?? null;
  }

  /** Number of events shown. */
  get events(): number {
    return this.#shown?.state.events ?? 0;
  }

  /** Reads what is new. Resolves to whether anything new is shown; rejects never. */
  async update(): Promise<boolean> {
    const before = this.#shown;
    // A release that cannot be read keeps nobody from following the ledger from the one before.
    const faults = [
      await this.#faultOf(() => this.#followRelease()),
      await this.#faultOf(() => this.#followLedger()),
    ];
    this.#faults = faults.filter((fault) => fault !== null);
    return this.#shown !== before;
  }

  async #faultOf(work: () => Promise<Fault | null>): Promise<Fault | null> {
    try {
      return await work();
    } catch (error) {
      const fault = { id: String(error), text: publicFault(error) };
      if (!this.#faults.some(({ id }) => id === fault.id)) this.#options.report(error);
      return fault;
    }
  }

  /** A new release is begun with anew, so that nothing lasts for longer than it takes to make one. */
  async #followRelease(): Promise<null> {
    const release = await this.#options.releases.current();
    if (!release || release === this.#release) return null;
    const resume = await releaseResume(release);
    const { documents, companions, verifiers, baseUrl } = this.#options;
    this.#inputs = {
      documents: await readDocuments(documents),
      companions: await readCompanions(companions, verifiers),
      baseUrl,
    };
    this.#fold = new LedgerFold(this.#options.ledger, this.#options.verifiers, resume);
    this.#release = release;
    return null;
  }

  async #followLedger(): Promise<Fault | null> {
    const fold = this.#fold;
    // Nothing to go on from, and nobody to miss it: no fault to report.
    if (!fold) return { id: '', text: 'there is no release yet' };
    try {
      this.#show(await fold.advance(), fold.sealed.position.snapshot);
      return null;
    } catch (error) {
      // What is sealed is as good as a release, so it is shown all the same where it is newer.
      const { state, position } = fold.sealed;
      if (state.events > this.events) this.#put(structuredClone(state), position.snapshot);
      throw error;
    }
  }

  #show(state: State, snapshot: string | null): void {
    const shown = this.#shown;
    if (state === shown?.state && state.events === shown.events) return;
    const isOvertaken = (snapshot ?? '') > (shown?.snapshot ?? '');
    if (!isOvertaken && state.events < this.events) {
      throw new CathedralError('ledger_order', {
        place: 'head.ndjson',
        expected: `the ${this.events} events that were there before`,
        found: `${state.events}`,
      });
    }
    this.#put(state, snapshot);
  }

  #put(state: State, snapshot: string | null): void {
    this.#shown = { state, events: state.events, snapshot };
    this.#options.shown.show({ state, ...this.#inputs! });
  }
}
