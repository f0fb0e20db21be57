import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import puppeteer from 'puppeteer';
import { CathedralError } from '../../errors.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Where puppeteer's own download would be, whether or not it exists. */
const DOWNLOADED = await puppeteer.executablePath().catch(() => null);

export interface ChromiumSearch {
  /** A configured path. If it is unusable, nothing else is tried. */
  configured: string | null;
  /** The PATH variable. */
  path: string;
}

/** The browser for printing: the configured one, else one on the PATH, else puppeteer's download. Throws browser_missing. */
export function findChromium({ configured, path }: ChromiumSearch, downloaded = DOWNLOADED): string {
  const candidates = configured === null ? [...onPath(path), downloaded] : [configured];
  const found = candidates.find((file) => file !== null && isProgram(file));
  if (found) return found;
  throw new CathedralError('browser_missing', {
    place: configured === null ? 'PATH' : 'CHROMIUM_PATH',
    expected:
      'a Chromium to print PDFs with (apt-get install chromium, or: npx puppeteer browsers install chrome)',
    found: configured ?? 'none',
  });
}

/** Each name in each folder, preferred names first. */
function onPath(path: string): string[] {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
