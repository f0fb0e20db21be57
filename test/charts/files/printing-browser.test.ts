import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { findChromium } from '../../../pipeline/build/pdf/chromium.ts';
import { PrintingBrowser } from '../../../pipeline/charts/files/printing-browser.ts';

test('a browser leaves nothing in the temporary folder, and removes what was left by one whose process is gone', async () => {
  const { CHROMIUM_PATH = null, PATH = '' } = process.env;
  const chromium = findChromium({ configured: CHROMIUM_PATH, path: PATH })!;
  // Its path is short enough for the browser's socket.
  const temporary = await mkdtemp('/tmp/browser-');
  onTestFinished(() => rm(temporary, { recursive: true }));
  vi.stubEnv('TMPDIR', temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { pid: gone } = spawnSync('true');
  const others = [`cathedral-${process.ppid}-a`, 'cathedral', 'other'];
  for (const name of [`cathedral-${gone}-a/.org.chromium.Chromium.x`, ...others])
    await mkdir(join(temporary, name), { recursive: true });
  const browser = new PrintingBrowser(chromium);
  await browser.open();
  const during = (await readdir(temporary)).filter((name) => !others.includes(name));
  expect(during).toEqual([expect.stringMatching(new RegExp(`^cathedral-${process.pid}-`))]);
  await browser[Symbol.asyncDispose]();
  await expect.poll(() => readdir(temporary)).toHaveLength(others.length);
});
