import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { CathedralError } from '../../errors.ts';

export interface ChromiumLaunch {
  /** Path of a Chromium. */
  chromium: string;
  /** A new folder for the browser's own files, useless afterwards. */
  profile: string;
}

/** Parameters of a method or an event; https://chromedevtools.github.io/devtools-protocol/ describes them. */
// biome-ignore lint/suspicious/noExplicitAny: the protocol has a thousand shapes, of which printing reads a dozen members
type Members = Record<string, any>;

interface Message {
  id?: number;
  sessionId?: string;
  method?: string;
  params?: Members;
  result?: Members;
  error?: { message: string };
}

/** Time limit for the browser's start, ms. */
const START_MS = 30_000;
/** Time that the browser has to end by itself, ms. */
const END_MS = 5_000;
/** Characters of the browser's own messages that are kept, to explain why it does not start. */
const KEPT = 2_000;

/** Inches. Whole CSS pixels, since the browser rounds a part of one up to another one. */
const A4 = { paperWidth: 793 / 96, paperHeight: 1122 / 96 };
const NO_MARGINS = { marginTop: 0, marginBottom: 0, marginLeft: 0, marginRight: 0 };

const FLAGS = [
  '--headless',
  '--remote-debugging-pipe',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-extensions',
  '--disable-sync',
  '--disable-breakpad',
  '--disable-background-networking',
  '--disable-component-update',
  '--no-first-run',
  '--no-default-browser-check',
  '--password-store=basic',
  // A tab is opened for each job; the first window would be one more page.
  '--no-startup-window',
  '--hide-scrollbars',
  '--force-color-profile=srgb',
  // Glyph positions follow the font, not the screen settings of the machine.
  '--font-render-hinting=none',
];

/**
 * A browser that prints the same on every machine. It is controlled over a pipe, so that it ends with this process even if that is
 * killed. Throws site_failed.
 */
export async function launchChromium({ chromium, profile }: ChromiumLaunch): Promise<Browser> {
  // Chromium's sandbox does not start as root, and the page is our own, served from this machine.
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const temporary = makeTemporary();
  const child = spawn(chromium, [...FLAGS, ...asRoot, `--user-data-dir=${profile}`], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...(temporary !== null && { TMPDIR: temporary }) },
  });
  const browser = new Browser(child);
  child.once('close', () => temporary !== null && rmSync(temporary, { recursive: true, force: true }));
  try {
    await browser.send('Browser.getVersion', {}, START_MS);
    return browser;
  } catch (cause) {
    await browser.close();
    throw asBrowserError(cause, chromium, 'a browser that starts; run by hand, it says why it does not');
  }
}

/** Short, because the browser puts a socket below it, whose path can have 107 bytes: `…/org.chromium.Chromium.srJyj6/SingletonSocket`. */
const TEMPORARY = 'cathedral-';
const MOST_BYTES = 60;

/**
 * A browser that is killed leaves folders behind. So each has a temporary folder of its own, with the number of this process, and the next one
 * removes those of processes that are gone. Null where the machine's temporary folder has too long a path.
 */
function makeTemporary(): string | null {
  for (const name of readdirSync(tmpdir())) {
    const [, owner] = new RegExp(`^${TEMPORARY}(\\d+)-`).exec(name) ?? [];
    if (owner !== undefined && !isRunning(Number(owner)))
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
  const prefix = join(tmpdir(), `${TEMPORARY}${process.pid}-`);
  return Buffer.byteLength(prefix) + 6 <= MOST_BYTES ? mkdtempSync(prefix) : null;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it belongs to somebody else, who removes the folder.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Sends methods of the DevTools protocol: JSON messages, each ended by a zero byte. Emits a tab's events under its session. */
export class Browser extends EventEmitter {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  readonly #pending = new Map<number, PromiseWithResolvers<Members>>();
  #id = 0;
  /** Why nothing more is sent, once it has ended. */
  #end: string | null = null;

  constructor(child: ChildProcess) {
    super();
    this.#child = child;
    let said = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-KEPT);
    });
    this.#ended = once(child, 'close').then(
      ([code, signal]) => this.#fail(`the browser ended with ${code ?? signal}\n${said}`.trim()),
      (error: Error) => this.#fail(error.message),
    );
    let rest = '';
    (child.stdio[4] as Readable).setEncoding('utf8').on('data', (text: string) => {
      const messages = (rest + text).split('\0');
      rest = messages.pop()!;
      for (const message of messages) this.#receive(JSON.parse(message));
    });
    // The end of the browser says more than a pipe that broke by it.
    for (const pipe of [child.stdio[3], child.stdio[4]]) pipe?.on('error', () => {});
  }

  /** Returns the result. Throws an Error if the browser refuses, ends, or takes longer than `timeoutMs`. */
  async send(method: string, params: Members, timeoutMs: number, sessionId?: string): Promise<Members> {
    if (this.#end !== null) throw new Error(this.#end);
    this.#id += 1;
    const id = this.#id;
    const reply = Promise.withResolvers<Members>();
    this.#pending.set(id, reply);
    (this.#child.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return within(timeoutMs, method, reply.promise).finally(() => this.#pending.delete(id));
  }

  /** A new tab, each step of which may take `timeoutMs`. */
  async newTab(timeoutMs: number): Promise<Tab> {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' }, timeoutMs);
    const target = { targetId, flatten: true };
    const { sessionId } = await this.send('Target.attachToTarget', target, timeoutMs);
    const tab = new Tab(this, sessionId, timeoutMs);
    await tab.send('Page.enable');
    return tab;
  }

  async close(): Promise<void> {
    this.send('Browser.close', {}, END_MS).catch(() => {});
    const end = setTimeout(() => this.#child.kill('SIGKILL'), END_MS);
    await this.#ended;
    clearTimeout(end);
  }

  #receive({ id, sessionId, method, params, result, error }: Message): void {
    const reply = id === undefined ? undefined : this.#pending.get(id);
    if (error) reply?.reject(new Error(error.message));
    else reply?.resolve(result ?? {});
    if (method && sessionId) this.emit(sessionId, method, params ?? {});
  }

  #fail(reason: string): void {
    this.#end = reason;
    for (const { reject } of this.#pending.values()) reject(new Error(reason));
  }
}

/** A page of a browser. Each method throws an Error if the browser refuses, ends, or takes too long. */
export class Tab {
  readonly #browser: Browser;
  readonly #session: string;
  readonly #timeoutMs: number;

  constructor(browser: Browser, session: string, timeoutMs: number) {
    this.#browser = browser;
    this.#session = session;
    this.#timeoutMs = timeoutMs;
  }

  send(method: string, params: Members = {}): Promise<Members> {
    return this.#browser.send(method, params, this.#timeoutMs, this.#session);
  }

  on(listen: (method: string, params: Members) => void): void {
    this.#browser.on(this.#session, listen);
  }

  /** Opens a page and waits until everything in it has loaded. */
  goto(url: string): Promise<void> {
    return this.#load(url, async () => {
      const { errorText } = await this.send('Page.navigate', { url });
      if (errorText) throw new Error(`${errorText} at ${url}`);
    });
  }

  /** Shows an HTML document that has no address. */
  setContent(html: string): Promise<void> {
    return this.#load('the document', async () => {
      const { frameTree } = await this.send('Page.getFrameTree');
      await this.send('Page.setDocumentContent', { frameId: frameTree.frame.id, html });
    });
  }

  /** Calls a function in the page and waits for its promise. It sees nothing but its arguments, which JSON carries. */
  async evaluate<Arguments extends unknown[]>(
    run: (...values: Arguments) => unknown,
    ...values: Arguments
  ): Promise<void> {
    const { exceptionDetails } = await this.send('Runtime.evaluate', {
      expression: `(${run})(...${JSON.stringify(values)})`,
      awaitPromise: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  }

  /** A tagged PDF with the background, and only the margins of the style sheet. The paper is A4 unless the style sheet gives a size. */
  async pdf({ outline = false } = {}): Promise<Uint8Array> {
    const { data } = await this.send('Page.printToPDF', {
      ...A4,
      ...NO_MARGINS,
      preferCSSPageSize: true,
      printBackground: true,
      generateTaggedPDF: true,
      generateDocumentOutline: outline,
    });
    return Buffer.from(data, 'base64');
  }

  async close(): Promise<void> {
    await this.send('Page.close');
    this.#browser.removeAllListeners(this.#session);
  }

  async #load(what: string, start: () => Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.on((method) => {
      if (method === 'Page.loadEventFired') resolve();
    });
    await start();
    await within(this.#timeoutMs, `loading ${what}`, promise);
  }
}

async function within<T>(ms: number, step: string, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`${step} took longer than ${ms / 1000} s`)), ms);
  return Promise.race([promise, late.promise]).finally(() => clearTimeout(timer));
}

/** The browser's errors have no code of ours. */
export function asBrowserError(cause: unknown, place: string, expected: string): unknown {
  if (cause instanceof CathedralError) return cause;
  return new CathedralError('site_failed', { place, expected, found: (cause as Error).message, cause });
}
