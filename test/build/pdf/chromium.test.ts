import { spawnSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findChromium } from '../../../pipeline/build/pdf/chromium.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';

const DOWNLOAD = 'cache/chrome/linux-131.0.6778.85/chrome-linux64/chrome';

/** Folders `a` and `b` with the given programs, one of them not executable. */
async function folders(...programs: string[]) {
  const root = await temporaryFolder();
  for (const folder of ['a', 'b']) await mkdir(join(root, folder));
  for (const program of programs) {
    await mkdir(dirname(join(root, program)), { recursive: true });
    await writeFile(join(root, program), '#!/bin/sh\n');
    await chmod(join(root, program), 0o755);
  }
  const at = (name: string) => join(root, name);
  return { at, path: [at('a'), at('b')].join(delimiter) };
}

describe('a Chromium is found', () => {
  test('only at the configured path, if there is one', async () => {
    const { at, path } = await folders('own', 'a/chromium');
    expect(findChromium({ configured: at('own'), path })).toBe(at('own'));
    expect(() => findChromium({ configured: at('absent'), path })).toThrow(
      expect.objectContaining({ code: 'browser_missing', place: 'CHROMIUM_PATH', found: at('absent') }),
    );
  });

  test('for a user without a home, as one that is only a number', () => {
    const module = new URL('../../../pipeline/build/pdf/chromium.ts', import.meta.url).href;
    const search = `const { findChromium } = await import('${module}');
      try { findChromium({ configured: null, path: '' }); } catch ({ code }) { console.log(code); }`;
    // Only root can become one.
    const user = process.getuid?.() === 0 ? { uid: 4_999_999 } : {};
    const { HOME: _, ...env } = process.env;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', search], {
      cwd: '/',
      encoding: 'utf8',
      env,
      ...user,
    });
    expect([stdout, stderr]).toEqual([expect.stringMatching(/^(browser_missing\n)?$/), '']);
  });

  test('on the PATH, by the preferred name first', async () => {
    const { at, path } = await folders('a/google-chrome', 'b/chromium', DOWNLOAD);
    expect(findChromium({ configured: null, path }, at('cache'))).toBe(at('b/chromium'));
  });

  test('among the downloads, the newest, if the PATH has none', async () => {
    const { at, path } = await folders(DOWNLOAD, DOWNLOAD.replace('131', '99'));
    expect(findChromium({ configured: null, path }, at('cache'))).toBe(at(DOWNLOAD));
  });

  test('only if it is an executable file', async () => {
    const { at, path } = await folders();
    await mkdir(at('a/chromium'));
    await writeFile(at('b/chromium'), 'text');
    expect(() => findChromium({ configured: null, path }, at('cache'))).toThrow(
      expect.objectContaining({
        code: 'browser_missing',
        place: 'PATH',
        expected: expect.stringContaining('apt-get install chromium'),
      }),
    );
  });
});
