import { type Browser, chromium } from 'playwright';
import { afterAll } from 'vitest';
import { engine } from './engine.ts';
import { PATIENCE } from './launch-browser.ts';

export type SharedBrowser = Pick<Browser, 'newContext' | 'newPage'>;

/**
 * The one Chromium of a run, started by whichever test needs it first; each file sees its own pages alone. Called once by a file,
 * outside its tests: `const browser = useBrowser();`, then in a test `await browser.newContext()`.
 */
export function useBrowser(): SharedBrowser {
  let connected: Promise<Browser> | null = null;
  const open = async () => {
    const { endpoint } = await engine<{ endpoint: string }>('browser');
    const browser = await chromium.connect(endpoint, { timeout: PATIENCE });
    browser.on('context', (context) => context.setDefaultTimeout(PATIENCE));
    return browser;
  };
  const browser = () => {
    connected ??= open();
    return connected;
  };
  afterAll(async () => {
    await (await connected)?.close();
    connected = null;
  });
  return {
    newContext: async (options) => (await browser()).newContext(options),
    newPage: async (options) => (await browser()).newPage(options),
  };
}
