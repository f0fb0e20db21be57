import { formatBytes } from '../../../pipeline/words/number.ts';
import { make, makeButton, makeElement } from './make-element.ts';
import type { Numbered, Reply } from './worker-jobs.ts';
import type { Part } from './worker-parts.ts';

/** An element of the page. Without it, the page and its script are not from the same build. */
export function element<T extends HTMLElement>(selector: string): T {
  const found = document.querySelector<T>(selector);
  if (!found) throw new Error(`no ${selector} in this page`);
  return found;
}

/** What a page does with the answers of its worker. */
export interface Handlers<Value, News> {
  /** Default: shown in the notice. */
  working?(words: string): void;
  news?(news: News): void;
  done(value: Value): void;
  /** Default: shown in the notice, with an offer to try again. */
  failed?(message: string): void;
}

export interface ToolOptions {
  /** The address of its worker, which is loaded with the first job. */
  script: string;
  /** Is busy while a job runs. */
  place: HTMLElement;
  /** Says what is being done or asked. */
  notice: HTMLElement;
  /** Bytes that are read without asking. */
  free?: number;
  /** Hears when a job begins and ends. */
  busy?: (isBusy: boolean) => void;
  /** What a cancelled job leaves: `The rows below are those of the selection before.` */
  cancelled?: string;
}

/**
 * A tool of a page: jobs for a worker, what it says meanwhile, consent for more bytes, cancelling, and one offer to try again.
 */
export class Tool<Job, Value, News = never> {
  readonly #options: ToolOptions;
  #worker: Worker | null = null;
  /** Of the newest job. */
  #number = 0;

  constructor(options: ToolOptions) {
    this.#options = options;
  }

  /** Whether the worker is there, with what it has read. */
  get isOpen(): boolean {
    return this.#worker !== null;
  }

  /**
   * Gives the worker a job. One that is still running is answered to nobody, but what it reads is kept. `jobFor` makes the job from
   * the bytes that may be read.
   */
  run(begin: string, jobFor: (allowed: number) => Job, handlers: Handlers<Value, News>): void {
    this.#run(begin, jobFor, handlers, this.#options.free ?? 0);
  }

  #run(
    begin: string,
    jobFor: (allowed: number) => Job,
    handlers: Handlers<Value, News>,
    allowed: number,
  ): void {
    this.clear();
    const { script, place } = this.#options;
    const again = () => this.#run(begin, jobFor, handlers, allowed);
    const failed = (message: string) => {
      if (handlers.failed) handlers.failed(message);
      const said = handlers.failed ? '' : message;
      this.#show(make('p', { role: 'alert' }, said, ' ', makeButton('Try again', again)));
    };
    const working = handlers.working ?? ((words: string) => this.#working(words));
    try {
      this.#worker ??= new Worker(script, { type: 'module' });
    } catch (error) {
      failed(`This browser cannot run ${script} (${(error as Error).message}).`);
      return;
    }
    this.#number++;
    const numbered: Numbered<Job> = { number: this.#number, job: jobFor(allowed) };
    this.#worker.onmessage = ({ data }: MessageEvent<Reply<Value, News>>) => {
      // An answer to the job before comes to the handlers of this one.
      if (data.number !== numbered.number) return;
      if (data.kind === 'working') return working(data.words);
      if (data.kind === 'news') return handlers.news?.(data.news);
      this.clear();
      if (data.kind === 'failed') failed(data.message);
      else if (data.kind === 'done') handlers.done(data.value);
      else this.#consent(data, () => this.#run(begin, jobFor, handlers, Math.max(allowed, data.bytes)));
    };
    this.#worker.onerror = ({ message }) => {
      this.end();
      failed(message ? `${script}: ${message}` : `${script} cannot be loaded.`);
    };
    place.setAttribute('aria-busy', 'true');
    this.#options.busy?.(true);
    working(begin);
    this.#worker.postMessage(numbered);
  }

  /** Ends a job at once, and with it the worker and all that it has read. */
  end(): void {
    this.clear();
    this.#worker?.terminate();
    this.#worker = null;
  }

  /** Forgets what a running job comes to, and the notice. */
  clear(): void {
    const { place, notice } = this.#options;
    place.removeAttribute('aria-busy');
    // The button that was pressed goes: its reader goes on where the outcome comes, and not at the head of the page.
    if (notice.contains(document.activeElement)) {
      place.tabIndex = -1;
      place.focus({ preventScroll: true });
    }
    notice.hidden = true;
    notice.replaceChildren();
    if (this.#worker) this.#worker.onmessage = null;
    this.#options.busy?.(false);
  }

  #working(words: string): void {
    const said = this.#options.notice.querySelector('.said');
    if (said) said.textContent = words;
    else
      this.#show(
        makeElement(
          'p',
          '',
          makeElement('span', 'said', words),
          ' ',
          makeButton('Cancel', () => this.cancel()),
        ),
      );
  }

  cancel(): void {
    this.end();
    this.#show(makeElement('p', '', `Cancelled. ${this.#options.cancelled ?? ''}`));
  }

  #consent({ bytes, use }: { bytes: number; use: string }, read: () => void): void {
    const agree = makeButton(`Read ${formatBytes(bytes)}`, read);
    this.#show(
      makeElement('p', '', `It takes ${formatBytes(bytes)} ${use}.`),
      makeElement(
        'p',
        'buttons',
        agree,
        makeButton('Cancel', () => this.clear()),
      ),
    );
    agree.focus();
  }

  #show(...content: readonly Node[]): void {
    this.#options.notice.replaceChildren(...content);
    this.#options.notice.hidden = false;
  }
}

/** Calls `show` for the address of the page, and for each to which the reader goes back. */
export function followAddress(show: () => void): void {
  addEventListener('popstate', show);
  show();
}

/** Puts a state into the address, so that the back button leads to the one before. */
export function putAddress(address: string): void {
  if (address !== `${location.pathname}${location.search}`) history.pushState(null, '', address);
}

/** Copies a text; `say` learns what came of it. Null: pages from an insecure origin have no clipboard. */
export function copierOf(say: (words: string) => void): ((text: string, copied: string) => void) | null {
  const { clipboard } = navigator as { clipboard?: Pick<Navigator['clipboard'], 'writeText'> };
  if (!clipboard) return null;
  return (text, copied) =>
    void clipboard.writeText(text).then(
      () => say(copied),
      () => say('The browser refused to copy.'),
    );
}

/** Draws what a worker has made. */
export function drawPart({ tag, attributes, children, file }: Part): HTMLElement {
  const href = file && { href: URL.createObjectURL(file) };
  return make(
    tag,
    { ...attributes, ...href },
    ...children.map((child) => (typeof child === 'string' ? child : drawPart(child))),
  );
}
