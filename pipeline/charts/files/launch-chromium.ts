import puppeteer, { type Browser } from 'puppeteer';
import { CathedralError } from '../../errors.ts';

export interface ChromiumLaunch {
  /** Path of a Chromium. */
  chromium: string;
  /** A new folder for the browser's own files, useless afterwards. */
  profile: string;
}

/** A browser that prints the same on every machine, and ends with this process. Throws site_failed. */
export async function launchChromium({ chromium, profile }: ChromiumLaunch): Promise<Browser> {
  // Chromium's sandbox does not start as root, and the page is our own, served from this machine.
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const quiet = [
    '--disable-gpu',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    // Glyph positions follow the font, not the screen settings of the machine.
    '--font-render-hinting=none',
  ];
  return puppeteer
    .launch({
      executablePath: chromium,
      args: [...asRoot, ...quiet],
      userDataDir: profile,
      // Over a pipe, so that the browser ends with this process even if it is killed.
      pipe: true,
    })
    .catch((cause) => {
      throw asBrowserError(cause, chromium, 'a browser that starts; run by hand, it says why it does not');
    });
}

/** The browser's errors have no code of ours. */
export function asBrowserError(cause: unknown, place: string, expected: string): unknown {
  if (cause instanceof CathedralError) return cause;
  return new CathedralError('site_failed', { place, expected, found: (cause as Error).message, cause });
}
