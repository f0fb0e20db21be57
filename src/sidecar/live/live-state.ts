import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { View } from '../../../pipeline/artifacts/artifact.ts';
import { readDocuments } from '../../../pipeline/artifacts/documents.ts';
import { readCompanions } from '../../../pipeline/artifacts/read-companions.ts';
import { type Outdated, type Resume, readResume } from '../../../pipeline/build/resume.ts';
import { CathedralError, errorOf } from '../../../pipeline/errors.ts';
import { readJson } from '../../../pipeline/ledger/events/json.ts';
import type { LedgerPosition } from '../../../pipeline/ledger/log/leaf.ts';
import type { Verifier } from '../../../pipeline/ledger/notes/note.ts';
import type { State } from '../../../pipeline/model/state.ts';
import { sha256 } from '../../../pipeline/release/format/manifest.ts';
import { counted } from '../../../pipeline/words/number.ts';
import type { Releases, ServedRelease } from '../files/releases.ts';
import { LedgerFold } from './ledger-fold.ts';
import { type LiveDocuments, publicFault } from './live-documents.ts';

const invalid = errorOf('release_invalid');

export interface LiveStateOptions {
  /** Folder of the ledger that the releases are built from. */
  ledger: string;
  /** One of these keys must have signed each checkpoint. */
  verifiers: readonly Verifier[];
  releases: Pick<Releases, 'current'>;
  /** Folder of the documents. */
  documents: string;
  /** JSON file of the companions that may attest. Null: none, except in a demo ledger. */
  companions: string | null;
  baseUrl: string;
  /** Receives the newest state. */
  shown: Pick<LiveDocuments, 'show'>;
  /** Called once for each fault, however often it occurs. */
  report: (error: unknown) => void;
}

interface Fault {
  /** A fault with a known id is not reported again. */
  id: string;
  /** Shown to anyone. */
  text: string;
}

interface Shown {
  state: State;
  /** The number of events when it was shown. */
  events: number;
  /** The ledger snapshot that it extends, and the number of events up to there. */
  snapshot: string | null;
  sealed: number;
}

/**
 * The current release's state, advanced with what the ledger has since. It never goes back to fewer events, unless a later
 * ledger snapshot signs fewer; while the ledger cannot be read, the last state stays.
 */
export class LiveState {
  readonly #options: LiveStateOptions;
  #release: ServedRelease | null = null;
  #inputs: Pick<View, 'documents' | 'companions' | 'baseUrl'> | null = null;
  #fold: LedgerFold | null = null;
  #shown: Shown | null = null;
  #faults: readonly Fault[] = [{ id: '', text: 'nothing has been read yet' }];

  constructor(options: LiveStateOptions) {
    this.#options = options;
  }

  /** Why the state may be older than the ledger; null if it is not. */
  get fault(): string | null {
    return this.#faults.at(-1)?.text ?? null;
  }

  /** Time of the newest event; null before there is one. */
  get timestamp(): string | null {
    return this.#shown?.state.asOf ?? null;
  }

  /** The newest ledger snapshot read; null before there is one. */
  get sealed(): string | null {
    return this.#fold?.sealed.position.snapshot ?? null;
  }

  /** Time of the oldest event that is not sealed; null if every event is. */
  get unsealedSince(): string | null {
    return this.#fold?.unsealedSince ?? null;
  }

  /** Number of events in the state that a ledger snapshot covers. */
  get sealedEvents(): number {
    return this.#shown?.sealed ?? 0;
  }

  /** Number of events in the state. */
  get events(): number {
    return this.#shown?.state.events ?? 0;
  }

  /** Reads what is new. Resolves to whether the state changed; never rejects. */
  async update(): Promise<boolean> {
    const before = this.#shown;
    // If the new release cannot be read, the ledger is still followed from the previous one.
    const faults = [await this.#faultOf(() => this.#followRelease())];
    // Without any release, the fault is why there is none.
    if (this.#fold || faults[0] === null) faults.push(await this.#faultOf(() => this.#followLedger()));
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

  /** Starts again from each new release, so that a mistake lasts no longer than one release. */
  async #followRelease(): Promise<Fault | null> {
    const release = await this.#options.releases.current();
    if (!release || release === this.#release) return null;
    const resume = await readState(release);
    // The next run replaces it, which is no fault to report.
    if ('outdated' in resume)
      return { id: '', text: 'an earlier version made the release; the next run rebuilds it' };
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
    // The state stays empty until the first release, which is no fault to report.
    if (!fold) return { id: '', text: 'there is no release yet' };
    try {
      this.#show(await fold.advance(), fold.sealed.position);
      return null;
    } catch (error) {
      // Begins again at the release, which may still be of this ledger.
      if (error instanceof CathedralError && error.code === 'ledger_root') this.#release = null;
      // What is sealed is as good as a release, so show it if it is newer.
      const { state, position } = fold.sealed;
      if (state.events > this.events) this.#put(structuredClone(state), position);
      throw error;
    }
  }

  #show(state: State, sealed: LedgerPosition): void {
    const shown = this.#shown;
    if (state === shown?.state && state.events === shown.events) return;
    const isOvertaken = (sealed.snapshot ?? '') > (shown?.snapshot ?? '');
    if (!isOvertaken && state.events < this.events) {
      throw new CathedralError('ledger_order', {
        place: 'head.ndjson',
        expected: `the ${counted(this.events, 'event')} read before`,
        found: `${state.events}`,
      });
    }
    this.#put(state, sealed);
  }

  #put(state: State, { snapshot, size }: LedgerPosition): void {
    this.#shown = { state, events: state.events, snapshot, sealed: size };
    this.#options.shown.show({ state, ...this.#inputs! });
  }
}

/** The state of a release, read from disk each time, so the caller may change it. Throws `release_invalid`. */
async function readState({
  dir,
  manifest,
}: Pick<ServedRelease, 'dir' | 'manifest'>): Promise<Resume | Outdated> {
  const place = join(dir, 'state.json');
  const bytes = await readFile(place).catch((cause: NodeJS.ErrnoException) => {
    throw invalid(place, 'a readable file', cause.code ?? cause.message, cause);
  });
  const listed = manifest.unlisted.find(({ file }) => file === 'state.json');
  const found = sha256(bytes);
  if (found !== listed?.sha256) throw invalid(place, `SHA-256 ${listed?.sha256}`, found);
  return readResume(readJson(bytes.toString()));
}
