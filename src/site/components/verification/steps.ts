import { printable } from '../../../../pipeline/attestation/printable.ts';
import { CathedralError } from '../../../../pipeline/errors.ts';
import { makeElement } from '../attestations/make-element.ts';

/** What a step has shown, in words, and what the next ones need of it. */
export interface Shown<T> {
  words: string;
  value: T;
}

type Result = 'passed' | 'failed' | 'uncheckable' | 'not_checked';

const RESULT_WORDS: Readonly<Record<Result, string>> = {
  passed: 'Holds',
  failed: 'Does not hold',
  uncheckable: 'Cannot be checked',
  not_checked: 'Not checked',
};

/** `open`: neither the one nor the other was shown. */
export type Verdict = 'valid' | 'invalid' | 'open';

/** The reader pressed the button that stops. */
export class Stopped extends Error {}

/** A step that the others need failed; the list says so already. */
export class Failed extends Error {}

/** A step that the others need had nothing to check; the list says so already. */
export class Uncheckable extends Error {}

/** What the reader gave, or what did not arrive, proves nothing either way: no verdict on the release, file or event. */
export class NothingToCheck extends Error {
  readonly fault: CathedralError;

  constructor(fault: CathedralError) {
    super(fault.message, { cause: fault });
    this.fault = fault;
  }
}

/** What `read` makes of what the reader gave. Throws NothingToCheck where it makes nothing of it. */
export function readGiven<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof CathedralError ? new NothingToCheck(error) : error;
  }
}

/** A host that does not answer has not contradicted itself. */
function nothingToCheck(error: unknown): CathedralError | null {
  if (error instanceof NothingToCheck) return error.fault;
  return error instanceof CathedralError && error.code === 'mirror_unreachable' ? error : null;
}

/** A list of steps, each with its verdict as soon as there is one, and under it what is being done. */
export class Steps {
  readonly #list = makeElement('ol', 'stepwise-list');
  readonly #working = makeElement('p', 'working');
  readonly #said = makeElement('span', '');
  readonly #place: HTMLElement;
  readonly #stop = new AbortController();
  readonly #stopped: Promise<never>;
  /** Steps that did not hold. */
  failed = 0;
  /** Steps that had nothing to check. */
  uncheckable = 0;

  constructor(place: HTMLElement) {
    this.#place = place;
    // Verdicts are read out as they come; what is being done changes too often for that.
    this.#list.setAttribute('aria-live', 'polite');
    const stop = makeElement('button', 'quiet', 'Stop');
    stop.type = 'button';
    stop.addEventListener('click', () => this.#stop.abort());
    this.#stopped = new Promise((_, reject) => {
      this.#stop.signal.addEventListener('abort', () => reject(new Stopped()));
    });
    // Also where no step is waited for as it comes.
    this.#stopped.catch(() => {});
    this.#working.append(this.#said, ' ', stop);
    place.replaceChildren(this.#list, this.#working);
    place.hidden = false;
  }

  /** What is being done now. Throws Stopped. */
  say(words: string): void {
    if (this.#stop.signal.aborted) throw new Stopped();
    this.#said.textContent = words;
  }

  /** Does a step that the following ones need. Throws Failed where it does not hold, Uncheckable, and Stopped. */
  async need<T>(name: string, work: () => Promise<Shown<T>>): Promise<T> {
    const { uncheckable } = this;
    const shown = await this.attempt(name, work);
    if (shown === null) throw this.uncheckable > uncheckable ? new Uncheckable() : new Failed();
    return shown.value;
  }

  /** Does a step that the following ones can do without; null: it does not hold, or cannot be checked. */
  async attempt<T>(name: string, work: () => Promise<Shown<T>>): Promise<Shown<T> | null> {
    this.say(`${name} …`);
    try {
      // A host that does not answer is not waited for by who has pressed the button.
      const shown = await Promise.race([work(), this.#stopped]);
      this.#add(name, 'passed', [shown.words]);
      return shown;
    } catch (error) {
      if (error instanceof Stopped || error instanceof Failed || error instanceof Uncheckable) throw error;
      const fault = nothingToCheck(error);
      if (fault) this.uncheckable += 1;
      else this.failed += 1;
      this.#add(name, fault ? 'uncheckable' : 'failed', faultOf(fault ?? error));
      return null;
    }
  }

  skip(name: string, why: string): void {
    this.#add(name, 'not_checked', [why]);
  }

  /** What comes of it, above the steps, and what else there is to say or to do, below them. */
  end(words: string, verdict: Verdict, ...more: Node[]): void {
    this.#working.remove();
    const title = makeElement('h4', `verdict-title is-${verdict}`, printable(words));
    title.setAttribute('role', 'status');
    this.#place.replaceChildren(title, this.#list, ...more);
    title.scrollIntoView({ block: 'nearest' });
  }

  #add(name: string, result: Result, content: readonly (string | Node)[]): void {
    const printed = content.map((part) => (typeof part === 'string' ? printable(part) : part));
    this.#list.append(
      makeElement(
        'li',
        '',
        makeElement('strong', '', name),
        ' ',
        makeElement('span', `result ${result}`, RESULT_WORDS[result]),
        makeElement('div', 'detail', ...printed),
      ),
    );
  }
}

/** A fault in its parts: where, what should be there, what is. */
function faultOf(error: unknown): (string | Node)[] {
  if (!(error instanceof CathedralError)) return [`This page failed: ${(error as Error).message}`];
  const { place, expected, found, code } = error;
  const facts = Object.entries({ Where: place, Expected: expected, Found: found, Code: code }).flatMap(
    ([name, value]) => [makeElement('dt', '', name), makeElement('dd', '', printable(value))],
  );
  return [makeElement('dl', 'fault', ...facts)];
}
