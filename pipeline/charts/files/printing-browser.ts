import { join } from 'node:path';
import puppeteer, { type Browser, type Page } from 'puppeteer';
import { makeTemporaryFolder } from '../../disk/temporary-folder.ts';
import { CathedralError } from '../../errors.ts';

/** Time limit for each step: to start the browser, to load a page, or to print it, ms. */
export const STEP_MS = 60_000;
/** Time that the browser has to end by itself, ms. */
const END_MS = 5_000;

/** A4. Whole CSS pixels, since the browser rounds a part of one up to another one. */
const A4 = { width: 793, height: 1122 };

const FLAGS = [
  '--disable-gpu',
  // A page is opened for each job; the first window would be one more.
  '--no-startup-window',
  // Glyph positions follow the font, not the screen settings of the machine.
  '--font-render-hinting=none',
  // Drawing and loading in the browser's own process, and one process for all pages, save 40 % of its memory.
  '--in-process-gpu',
  '--renderer-process-limit=1',
  '--enable-features=NetworkServiceInProcess2',
];

/** A build of Chromium without what a window needs: it prints the same in half of the time. */
const SHELL = /headless.shell$/;

/** The browser of a run. It prints the same on every machine, and starts when the first page is opened. */
export class PrintingBrowser implements AsyncDisposable {
  readonly #chromium: string;
  #started: Promise<Browser> | null = null;

  /** `chromium`: the path of a Chromium. */
  constructor(chromium: string) {
    this.#chromium = chromium;
  }

  /** An empty page. Throws print_failed if the browser does not start. */
  async open(): Promise<Page> {
    this.#started ??= launch(this.#chromium);
    const page = await (await this.#started).newPage();
    page.setDefaultTimeout(STEP_MS);
    return page;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const browser = await this.#started?.catch(() => null);
    if (!browser) return;
    const end = setTimeout(() => browser.process()?.kill('SIGKILL'), END_MS);
    // One that has crashed is closed already.
    await browser.close().catch(() => {});
    clearTimeout(end);
  }
}

async function launch(chromium: string): Promise<Browser> {
  // Chromium's sandbox does not start as root, and the pages are our own, served from this machine.
  // Without it, the process that starts others in a sandbox has nothing to do.
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox', '--no-zygote'] : [];
  // A browser that is killed leaves folders behind.
  const folder = makeTemporaryFolder();
  try {
    const browser = await puppeteer.launch({
      executablePath: chromium,
      headless: SHELL.test(chromium) ? 'shell' : true,
      // With a pipe it ends with this process, even if that is killed.
      pipe: true,
      userDataDir: join(folder.path, 'profile'),
      waitForInitialPage: false,
      args: [...FLAGS, ...asRoot],
      env: { ...process.env, ...(Buffer.byteLength(folder.path) <= MOST_BYTES && { TMPDIR: folder.path }) },
      protocolTimeout: STEP_MS,
      // Whoever interrupts a run ends it in order.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    const child = browser.process();
    // It would end with this process, but might still write into the folder.
    const kill = () => void child?.kill('SIGKILL');
    process.prependListener('exit', kill);
    child?.once('close', () => {
      process.off('exit', kill);
      folder.remove();
    });
    return browser;
  } catch (cause) {
    folder.remove();
    throw asBrowserError(cause, chromium, 'a browser that starts; run by hand, it says why it does not');
  }
}

/** The browser puts a socket below its temporary folder, whose path can have 107 bytes: `…/org.chromium.Chromium.srJyj6/SingletonSocket`. */
const MOST_BYTES = 66;

/** A tagged PDF with the background, and only the margins of the style sheet. The paper is A4 unless the style sheet gives a size. */
export function pdfOf(page: Page, { outline = false } = {}): Promise<Uint8Array> {
  const options = { preferCSSPageSize: true, printBackground: true, tagged: true, timeout: STEP_MS };
  return page.pdf({ ...A4, ...options, outline });
}

/** The browser's errors have no code of ours. */
export function asBrowserError(cause: unknown, place: string, expected: string): unknown {
  if (cause instanceof CathedralError) return cause;
  // After a time limit, puppeteer names an option of its own.
  const found = (cause as Error).message.replace(/ Increase the 'protocolTimeout'.*/, '');
  return new CathedralError('print_failed', { place, expected, found, cause });
}
