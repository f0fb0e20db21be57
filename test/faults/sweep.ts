import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CathedralError } from '../../pipeline/errors.ts';
import { Disk, type Image, type Loss, readTree } from './disk.ts';
import { type Call, type Done, effects, type Fault, type Way } from './effects.ts';
import { differences, fingerprint } from './fingerprint.ts';
import { fixKeys } from './fixed-random.ts';
import type { Scenario } from './scenario.ts';
import { workingFolder } from './working-folder.ts';

/** Of the key that a run makes; those of before are lower. */
export const RUN_KEY = 100;
/** What mkdtemp, and the writer of keys, make of a name. */
const TEMPORARY = /(staging-(?:log-|snapshot-)?|publisher\.key\.)\w{6,12}/g;
/** In a folder that mkdtemp made. The next run removes it by its name and reads nothing of it. */
const STAGED = /(?:^|\/)staging-(?:log-|snapshot-)?\w{6}\//;
/** Two states that differ only in files of such folders are judged once, unless they have so many more. */
const STAGED_STEP = 50;
/** A busy machine takes minutes for what takes seconds on a quiet one. */
const PATIENCE_MS = 10 * 60_000;

/** What a disturbance was, and what was wrong after it. */
export interface Finding {
  scenario: string;
  /** `EIO at write out/status.json.tmp (pipeline/…)`, `power cut (all lost) after 211 of 1 400`. */
  disturbance: string;
  problems: string[];
}

export class EnoughError extends Error {}

/** One scenario, run once undisturbed; each disturbance is held against that. */
export class Sweep {
  readonly name: string;
  readonly folder: string;
  readonly scenario: Scenario;
  found = 0;
  /** Throws EnoughError with the first finding. */
  stopsAtOne = false;
  calls: readonly Call[] = [];
  journal: readonly Done[] = [];
  /** Disturbances that were swept, by their way. */
  readonly counts: Record<string, number> = {};
  readonly #base: string;
  #before!: Disk;
  #disk!: Disk;
  #expected = new Map<string, string>();
  readonly #seen = new Set<string>();
  readonly #judged = new Map<string, string[]>();
  #stop: () => Promise<void> = async () => {};

  readonly #tell: (finding: Finding) => void;

  private constructor(name: string, scenario: Scenario, tell: (finding: Finding) => void) {
    this.#tell = tell;
    this.name = name;
    this.scenario = scenario;
    this.#base = workingFolder();
    this.folder = join(this.#base, 'service');
  }

  static async of(name: string, scenario: Scenario, tell: (finding: Finding) => void): Promise<Sweep> {
    const sweep = new Sweep(name, scenario, tell);
    sweep.#stop = (await scenario.start?.()) ?? sweep.#stop;
    mkdirSync(sweep.folder);
    fixKeys(1);
    await scenario.prepare(sweep.folder);
    sweep.#before = new Disk(readTree(sweep.folder), []);
    const failure = await sweep.#run(null);
    sweep.calls = [...effects.calls];
    sweep.journal = [...effects.done];
    effects.watch(null);
    sweep.#disk = new Disk(sweep.#before.root, sweep.journal);
    sweep.#expected = fingerprint(sweep.folder);
    await sweep.#conclude('nothing', async () => [
      ...(failure ? [`it failed: ${failure.stack}`] : []),
      ...(await scenario.problems(sweep.folder, true)),
      ...sweep.#missedByTheJournal(),
    ]);
    return sweep;
  }

  async end(): Promise<void> {
    await this.#stop();
    rmSync(this.#base, { recursive: true, force: true });
  }

  /** A call that fails, in this process. */
  async fail(at: number, way: Exclude<Way, 'SIGKILL'>): Promise<void> {
    const { nth, ...place } = nthOf(this.calls, at);
    await this.#conclude(`${way} at ${describe(this.calls[at]!)}`, async () => {
      let failure = await this.#run({ ...place, nth, way });
      // What comes over a network comes in more pieces at one time than at another.
      for (let fewer = nth - 1; fewer >= 0 && effects.failed.length === 0; fewer -= 1)
        failure = await this.#run({ ...place, nth: fewer, way });
      const [met] = effects.failed;
      effects.watch(null);
      if (!met) return ['the fault was not met'];
      return [...(failure ? complaintsOf(failure) : silenceOf(met)), ...(await this.#judge())];
    });
  }

  /** Power is lost after the first so many things were done; nothing happens where that leaves what another cut did. */
  async cut(until: number, loss: Loss): Promise<void> {
    const image = this.#disk.after(until, loss);
    const digest = image.digest();
    if (this.#seen.has(digest)) return;
    this.#seen.add(digest);
    const last = this.journal[until - 1];
    const about = last && 'path' in last ? `${last.op} ${last.path}` : (last?.op ?? 'nothing');
    await this.#conclude(
      `power cut (lost: ${loss}) after ${until} of ${this.journal.length}, ${about}`,
      async () => {
        await this.#put(image);
        return this.#judge();
      },
    );
  }

  /** What was reported as done is there after a power cut, whatever was not flushed. */
  async lasts(losses: readonly Loss[]): Promise<void> {
    for (const loss of losses)
      await this.#conclude(`power cut (lost: ${loss}) after the run`, async () => {
        await this.#put(this.#disk.after(this.journal.length, loss));
        return this.scenario.problems(this.folder, true);
      });
  }

  /** The same tree as before the run, for a process of its own; `conclude` looks at what that left. */
  async apart(disturbance: string, run: () => Promise<string[]>): Promise<void> {
    await this.#conclude(disturbance, async () => {
      await this.restore();
      return [...(await run()), ...(await this.#judge())];
    });
  }

  async restore(): Promise<void> {
    await this.#put(this.#before.after(0, 'none'));
  }

  async #put(image: Image): Promise<void> {
    image.writeTo(this.folder);
  }

  async #run(fault: Fault | null): Promise<Error | null> {
    await this.restore();
    fixKeys(RUN_KEY);
    effects.watch(this.folder, fault);
    return failureOf(() => this.scenario.run(this.folder));
  }

  /** What is wrong with what was left, and with what comes of it. Of two that are the same the second is not looked at. */
  async #judge(): Promise<string[]> {
    const left = stateOf(fingerprint(this.folder));
    let judged = this.#judged.get(left);
    if (!judged) {
      judged = [...(await this.scenario.problems(this.folder, false)), ...(await this.#resume())];
      this.#judged.set(left, judged);
    }
    return judged;
  }

  /** Goes on undisturbed: to the same end, with nothing left over. */
  async #resume(): Promise<string[]> {
    fixKeys(RUN_KEY);
    const { scenario, folder } = this;
    const failure = await failureOf(() => (scenario.resume ?? scenario.run)(folder));
    if (failure) return [`the next run failed: ${failure.stack}`];
    const others = differences(this.#expected, fingerprint(folder));
    // What is equal to what was found right needs no second look.
    if (others.length === 0) return [];
    const problems = [...(await scenario.problems(folder, true)), ...others];
    return problems.map((problem) => `after the next run: ${problem}`);
  }

  async #conclude(disturbance: string, work: () => Promise<string[]>): Promise<void> {
    const way = disturbance.split(' at ')[0]!.split(' after ')[0]!;
    this.counts[way] = (this.counts[way] ?? 0) + 1;
    const problems = await work().catch((error: Error) => [`the look at it failed: ${error.stack}`]);
    effects.watch(null);
    if (problems.length === 0) return;
    this.found += 1;
    this.#tell({ scenario: this.name, disturbance, problems });
    if (this.stopsAtOne) throw new EnoughError();
  }

  /** The journal explains all that is there, or a sweep along it would prove little. */
  #missedByTheJournal(): string[] {
    const aside = join(this.#base, 'image');
    this.#disk.after(this.journal.length, 'none').writeTo(aside);
    return differences(this.#expected, fingerprint(aside)).map(
      (each) => `the journal has it otherwise: ${each}`,
    );
  }
}

/** The same text for states from which the next run goes on in the same way. */
function stateOf(prints: ReadonlyMap<string, string>): string {
  const seen = [...prints].filter(([path]) => !STAGED.test(path));
  const staged = Math.floor((prints.size - seen.length) / STAGED_STEP);
  return JSON.stringify([staged, seen]).replace(TEMPORARY, '$1');
}

/** A call as a fault names it. */
export function nthOf(calls: readonly Call[], at: number): Omit<Fault, 'way'> {
  const { kind, site } = calls[at]!;
  const nth = calls.slice(0, at).filter((call) => call.kind === kind && call.site === site).length;
  return { kind, site, nth };
}

export function describe({ kind, path, site }: Call): string {
  return `${kind} ${path} (${site})`;
}

async function failureOf(work: () => Promise<unknown>): Promise<Error | null> {
  const tooLong = sleep(PATIENCE_MS, undefined, { ref: false }).then(() => {
    throw new Error('it hangs');
  });
  return Promise.race([work(), tooLong]).then(
    () => null,
    (error: Error) => error,
  );
}

/** An operator reads one message with a place in it. */
function complaintsOf(failure: Error): string[] {
  if (!(failure instanceof CathedralError)) return [`no message for an operator: ${failure.stack}`];
  const { message, place } = failure;
  return /\n\s+at /.test(message) || place === '' ? [`the message does not say where: ${message}`] : [];
}

/** A run may do without a link, and never without a flush: nobody would know what is on the disk. */
function silenceOf({ kind, path }: Call): string[] {
  // Derived from the ledger; without it, the next sealer reads the whole ledger.
  if (path.includes('sealed.json')) return [];
  return kind === 'fsync' || kind === 'write' ? [`it went on after a ${kind} of ${path} had failed`] : [];
}
