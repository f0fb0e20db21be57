import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findChromium } from '../../../pipeline/build/pdf/chromium.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';

/** Folders `a` and `b` with the given programs, one of them not executable. */
async function folders(...programs: string[]) {
  const root = await temporaryFolder();
  for (const folder of ['a', 'b']) await mkdir(join(root, folder));
  for (const program of programs) {
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

  test('on the PATH, by the preferred name first', async () => {
    const { at, path } = await folders('a/google-chrome', 'b/chromium', 'download');
    expect(findChromium({ configured: null, path }, at('download'))).toBe(at('b/chromium'));
  });

  test('in puppeteer’s cache if the PATH has none', async () => {
    const { at, path } = await folders('download');
    expect(findChromium({ configured: null, path }, at('download'))).toBe(at('download'));
  });

  test('only if it is an executable file', async () => {
    const { at, path } = await folders();
    await mkdir(at('a/chromium'));
    await writeFile(at('b/chromium'), 'text');
    expect(() => findChromium({ configured: null, path }, null)).toThrow(
      expect.objectContaining({
        code: 'browser_missing',
        place: 'PATH',
        expected: expect.stringContaining('apt-get install chromium'),
      }),
    );
  });
});
