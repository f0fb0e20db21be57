import { CathedralError, type Finding } from '../../../pipeline/errors.ts';
import { printable } from '../../../pipeline/words/printable.ts';
import type { Tell } from './worker-jobs.ts';
import { factsPart, type Part, part } from './worker-parts.ts';

/** What a step has shown, in words, and what the next steps need from it. */
export interface Shown<T> {
  words: string;
  value: T;
}

const RESULT_WORDS = {
  passed: 'Holds',
  failed: 'Does not hold',
  uncheckable: 'Cannot be checked',
  not_checked: 'Not checked',
} as const;
type Result = keyof typeof RESULT_WORDS;

/** What a worker tells the page: a step with its verdict, or null to begin again. */
export type StepNews = Part | null;

/** What all steps come to. */
export interface Ending {
  words: string;
  /** `open`: neither was shown; `none`: nothing was to be shown. */
  verdict: 'valid' | 'invalid' | 'open' | 'none';
  more: readonly Part[];
  /** Files that the host did not send, so that another try may end otherwise. */
  unreached: readonly string[];
}

/** A step that the others need has failed; the list shows it. */
export class Failed extends Error {}

/** A step that the others need had nothing to check; the list shows it. */
export class Uncheckable extends Error {}

/** The reader's input proves nothing either way, so there is no verdict on the release, file or event. */
export class NothingToCheck extends Error {
  readonly finding: Finding;

  constructor(finding: CathedralError) {
    super(finding.message, { cause: finding });
    this.finding = finding;
  }
}

/** Parses the reader's input. Throws NothingToCheck if it cannot be parsed. */
export function readGiven<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof CathedralError ? new NothingToCheck(error) : error;
  }
}

/** A host that does not answer has not contradicted itself. */
function isUncheckable({ code }: Pick<Finding, 'code'>): boolean {
  return code === 'mirror_unreachable';
}

/** Steps of a proof in a worker. The page hears of each verdict as soon as there is one, and of what is being done. */
export class Steps {
  readonly #tell: Tell<StepNews>;
  readonly #unreached = new Set<string>();
  #ending: Ending | null = null;
  /** Steps that did not hold. */
  failed = 0;
  /** Steps that had nothing to check. */
  uncheckable = 0;

  constructor(tell: Tell<StepNews>) {
    this.#tell = tell;
  }

  /** What `work` comes to. A step that it needs and that did not hold ends it, in the words given for that. */
  static async run(
    tell: Tell<StepNews>,
    work: (steps: Steps) => Promise<void>,
    { failed, uncheckable }: { failed: string; uncheckable: string },
  ): Promise<Ending> {
    const steps = new Steps(tell);
    try {
      await work(steps);
    } catch (error) {
      if (error instanceof Failed) steps.end(failed, 'invalid');
      else if (error instanceof Uncheckable) steps.end(uncheckable, 'open');
      else if (error instanceof CathedralError) steps.end(error.message, 'open');
      else steps.end(`This page failed: ${(error as Error).message}`, 'open');
    }
    return steps.#ending!;
  }

  say(words: string): void {
    this.#tell.say(words);
  }

  /** Runs a step that the following ones need. Throws Failed and Uncheckable. */
  async need<T>(name: string, work: () => Promise<Shown<T>>): Promise<T> {
    const { uncheckable } = this;
    const shown = await this.attempt(name, work);
    if (shown === null) throw this.uncheckable > uncheckable ? new Uncheckable() : new Failed();
    return shown.value;
  }

  /** Runs a step that the following ones do not need; null: it does not hold, or cannot be checked. */
  async attempt<T>(name: string, work: () => Promise<Shown<T>>): Promise<Shown<T> | null> {
    this.say(`${name} …`);
    try {
      const shown = await work();
      this.pass(name, shown.words);
      return shown;
    } catch (error) {
      if (error instanceof Failed || error instanceof Uncheckable) throw error;
      if (error instanceof NothingToCheck) this.cannotCheck(name, error);
      else if (error instanceof CathedralError) this.fail(name, [error]);
      else {
        this.failed += 1;
        this.#add(name, 'failed', [`This page failed: ${(error as Error).message}`]);
      }
      return null;
    }
  }

  pass(name: string, words: string): void {
    this.#add(name, 'passed', [words]);
  }

  /** `words`, if there are some, come before what was expected and found. */
  fail(name: string, findings: readonly Finding[], words = ''): void {
    if (findings.every(isUncheckable)) this.open(name, findings, words);
    else {
      this.failed += 1;
      this.#add(name, 'failed', [words, ...findings.map((finding) => faultOf(finding, words === ''))]);
    }
  }

  cannotCheck(name: string, { finding }: NothingToCheck): void {
    this.open(name, [finding]);
  }

  skip(name: string, why: string): void {
    this.#add(name, 'not_checked', [why]);
  }

  /** A step that shows nothing either way. */
  open(name: string, findings: readonly Finding[], words = ''): void {
    this.uncheckable += 1;
    for (const finding of findings)
      if (isUncheckable(finding) && finding.place) this.#unreached.add(finding.place);
    this.#add(name, 'uncheckable', [words, ...findings.map((finding) => faultOf(finding, words === ''))]);
  }

  /** Begins again, since the host has published another release. */
  clear(): void {
    this.#tell.news(null);
    this.failed = 0;
    this.uncheckable = 0;
    this.#unreached.clear();
  }

  /** The verdict, which stands above the steps, and whatever else there is to say or do below them. */
  end(words: string, verdict: Ending['verdict'], ...more: Part[]): void {
    this.#ending = { words: printable(words), verdict, more, unreached: [...this.#unreached] };
  }

  #add(name: string, result: Result, content: readonly (string | Part)[]): void {
    const printed = content.map((one) => (typeof one === 'string' ? printable(one) : one));
    this.#tell.news(
      part(
        'li',
        {},
        part('strong', {}, name),
        ' ',
        part('span', { class: `result ${result}` }, RESULT_WORDS[result]),
        part('div', { class: 'detail' }, ...printed),
      ),
    );
  }
}

/** Only what an error says has a code; what contradicts a row is said in words. */
function faultOf({ place, expected, found, code }: Finding, hasCode: boolean): Part {
  const named = { Where: place, Expected: expected, Found: found, ...(hasCode && { Code: code }) };
  return factsPart(
    'facts fault',
    Object.entries(named).map(([name, value]) => [name, printable(value)] as const),
  );
}
