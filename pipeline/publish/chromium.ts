import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import puppeteer from 'puppeteer';
import { CathedralError } from '../errors.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

export interface ChromiumSearch {
  /** A path that was configured; it is taken or refused, nothing else is looked for. */
  configured: string | null;
  /** The PATH variable. */
  path: string;
}

/** The browser that prints: the configured one, else one on the PATH, else one in puppeteer's own cache. */
export function findChromium({ configured, path }: ChromiumSearch): string {
  const candidates = configured === null ? [...onPath(path), puppeteerCache()] : [configured];
  const found = candidates.find((file) => file !== null && existsSync(file));
  if (found) return found;
  throw new CathedralError('browser_missing', {
    place: configured === null ? 'PATH' : 'CHROMIUM_PATH',
    expected:
      'a Chromium to print PDFs with (apt-get install chromium, or: npx puppeteer browsers install chrome)',
    found: configured ?? 'none',
  });
}

function onPath(path: string): string[] {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
}

function puppeteerCache(): string | null {
  try {
    return puppeteer.executablePath() as unknown as string;
  } catch {
    return null;
  }
}
