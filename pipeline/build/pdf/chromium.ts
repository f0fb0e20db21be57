import { accessSync, constants, globSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { CathedralError, orNull } from '../../errors.ts';

/** The first one is Chromium without windows, which starts and prints in half of the time. */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];

/**
 * Where `npx @puppeteer/browsers install` puts browsers, as scripts/setup.sh calls it. A user that is only a number, as in a container,
 * may have no home.
 */
const DOWNLOADS = join(orNull(homedir) ?? '/', '.cache/puppeteer');

export interface ChromiumSearch {
  /** A configured path. If it is unusable, nothing else is tried. */
  configured: string | null;
  /** The PATH variable. */
  path: string;
}

/** The browser for printing: the configured one, else one on the PATH, else the newest download. Throws browser_missing. */
export function findChromium({ configured, path }: ChromiumSearch, downloads = DOWNLOADS): string {
  const candidates = configured === null ? [...onPath(path), ...downloadedTo(downloads)] : [configured];
  const found = candidates.find(isProgram);
  if (found) return found;
  throw new CathedralError('browser_missing', {
    place: configured === null ? 'PATH' : 'CHROMIUM_PATH',
    expected:
      'a Chromium to print PDFs with (apt-get install chromium, or: npx @puppeteer/browsers install chrome --path ~/.cache/puppeteer)',
    found: configured ?? 'none',
  });
}

/** Each name in each folder, preferred names first. */
function onPath(path: string): string[] {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
}

/** `chrome/linux-131.0.6778.85/chrome-linux64/chrome`, the newest version first. */
function downloadedTo(folder: string): string[] {
  const { compare } = new Intl.Collator('en', { numeric: true });
  const found = globSync(['chrome/*/*/chrome', 'chrome/*/*/*.app/Contents/MacOS/*'], { cwd: folder });
  return found.toSorted((a, b) => compare(b, a)).map((file) => join(folder, file));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
