import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type BrowserServer, chromium } from 'playwright';
import { findChromium } from '../../pipeline/build/pdf/chromium.ts';

const SHELL = 'chromium-headless-shell';
/** Instead of 30 s: less than the limit of a test, whose message would not say what was waited for. ms */
export const PATIENCE = 150_000;

/** The machine's Chromium, without its own windows where there is that: they cost more than most pages. */
export function launchBrowserServer(): Promise<BrowserServer> {
  const { CHROMIUM_PATH = null, PATH = '' } = process.env;
  const shell = PATH.split(delimiter)
    .map((folder) => join(folder, SHELL))
    .find((file) => existsSync(file));
  const executablePath = (!CHROMIUM_PATH && shell) || findChromium({ configured: CHROMIUM_PATH, path: PATH });
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launchServer({ executablePath, args, timeout: PATIENCE, host: '127.0.0.1' });
}
