import { printable } from '../../../pipeline/attestation/printable.ts';
import { CathedralError, type Finding } from '../../../pipeline/errors.ts';
import { makeElement } from '../layout/make-element.ts';

/** An element of the page. Without it, the page and its script are not from the same build. */
export function element<T extends HTMLElement>(selector: string): T {
  const found = document.querySelector<T>(selector);
  if (!found) throw new Error(`no ${selector} in this page`);
  return found;
}

/** What a step has shown, in words, and what the next steps need from it. */
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

/** `open`: neither was shown. */
export type Verdict = 'valid' | 'invalid' | 'open';

/** The reader pressed Stop. */
export class Stopped extends Error {}

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

/** A list of steps, each with its verdict as soon as there is one, and below it what is being done. */
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
    // Verdicts are announced as they come; progress changes too often for that.
    this.#list.setAttribute('aria-live', 'polite');
    const stop = makeElement('button', 'quiet', 'Stop');
    stop.type = 'button';
    stop.addEventListener('click', () => this.#stop.abort());
    this.#stopped = new Promise((_, reject) => {
      this.#stop.signal.addEventListener('abort', () => reject(new Stopped()));
    });
    // It may be rejected while nothing waits for it.
    this.#stopped.catch(() => {});
    this.#working.append(this.#said, ' ', stop);
    place.replaceChildren(this.#list, this.#working);
    place.hidden = false;
  }

  /** Says what is being done. Throws Stopped. */
  say(words: string): void {
    if (this.#stop.signal.aborted) throw new Stopped();
    this.#said.textContent = words;
  }

  /** Waits for `work` unless the reader presses Stop: a host may never answer. Throws Stopped. */
  wait<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#stopped]);
  }

  /** Runs a step that the following ones need. Throws Failed, Uncheckable and Stopped. */
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
      const shown = await this.wait(work());
      this.pass(name, shown.words);
      return shown;
    } catch (error) {
      if (error instanceof Stopped || error instanceof Failed || error instanceof Uncheckable) throw error;
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
      this.#add(name, 'failed', [words, ...findings.map((finding) => factsOf(finding, words === ''))]);
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
    this.#add(name, 'uncheckable', [words, ...findings.map((finding) => factsOf(finding, words === ''))]);
  }

  /** Begins again, since the host has published another release. */
  clear(): void {
    this.#list.replaceChildren();
    this.failed = 0;
    this.uncheckable = 0;
  }

  /** Shows the verdict above the steps, and whatever else there is to say or do below them. */
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

/** Only what an error says has a code; what contradicts a row is said in words. */
function factsOf({ place, expected, found, code }: Finding, hasCode: boolean): Node {
  const named = { Where: place, Expected: expected, Found: found, ...(hasCode && { Code: code }) };
  const facts = Object.entries(named).flatMap(([name, value]) => [
    makeElement('dt', '', name),
    makeElement('dd', '', printable(value)),
  ]);
  return makeElement('dl', 'fault', ...facts);
}
