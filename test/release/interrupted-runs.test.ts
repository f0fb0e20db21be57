import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { compileSite } from '../../pipeline/build/site/compile-site.ts';
import { withLock } from '../../pipeline/disk/lock.ts';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import { verifyRelease } from '../../pipeline/release/staging/verify-release.ts';
import { publishTiny } from './publish-tiny.ts';
import { failureOf, temporaryFolder } from './temporary-folder.ts';

const LOOP = join(import.meta.dirname, 'publish-loop.ts');
/** Runs publish-loop.ts; `lines` fills as it prints. */
function startLoop(args: string[], limit = '') {
  const command = `${limit} exec "$0" "$@"`;
  const child = spawn('sh', ['-c', command, process.execPath, LOOP, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  const ended = once(child, 'close');
  child.stdout.setEncoding('utf8').on('data', (text: string) => lines.push(...text.trim().split('\n')));
  return { child, lines, ended };
}

describe('two runs at once', () => {
  test('take turns when they wait', async () => {
    const out = await temporaryFolder();
    const loops = [1, 2].map(() => startLoop([out, '1', '4', '600000']));
    await Promise.all(loops.map(({ ended }) => ended));
    expect(loops.map(({ child }) => child.exitCode)).toEqual([0, 0]);
    const { dir } = (await readCurrent(out))!;
    expect(await verifyRelease(dir)).toEqual([]);
  });

  test('without waiting, only one works: the other exits, names it, and changes nothing', async () => {
    const out = await temporaryFolder();
    await publishTiny(out, { events: 1 });
    await withLock(out, { waitMs: 0, holder: 'the first run' }, async () => {
      const { child, lines, ended } = startLoop([out, '2', '2']);
      await ended;
      expect(child.exitCode).toBe(1);
      expect(JSON.parse(lines.at(-1)!)).toMatchObject({
        code: 'locked',
        message: expect.stringContaining('the first run'),
      });
    });
    expect((await readCurrent(out))!.manifest.ledger.size).toBe(1);
  });
});

describe('a disk that is full', () => {
  /** The files below OUT with their bytes, except for the lock. */
  async function snapshot(out: string) {
    const { dir, manifest } = (await readCurrent(out))!;
    expect(await verifyRelease(dir)).toEqual([]);
    const names = (await readdir(out)).filter((name) => !name.startsWith('lock'));
    return { names, id: manifest.release, text: await readFile(join(dir, 'manifest.json'), 'utf8') };
  }

  async function expectRefusal(
    out: string,
    run: () => Promise<string[]>,
    code = 'publish_failed',
  ): Promise<void> {
    const before = await snapshot(out);
    const lines = await run();
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({
      code,
      place: expect.stringContaining('staging-'),
    });
    expect(await snapshot(out)).toEqual(before);
  }

  test('stops the run, which names the file; published files stay', async () => {
    const disk = await temporaryFolder();
    if (!mountSmallDisk(disk)) return expectRefusalByFileSize(disk);
    const out = join(disk, 'out');
    await mkdir(out);
    await publishTiny(out, { events: 1 });
    await expectRefusal(
      out,
      async () => {
        const { child, lines, ended } = startLoop([out, '30000', '30000']);
        await ended;
        expect(child.exitCode).toBe(1);
        expect(lines.at(-1)).toContain('ENOSPC');
        return lines;
      },
      'disk_full',
    );
    await publishTiny(out, { events: 2 });
  });

  test.each([
    ['disk_full', '[ERROR] ENOSPC: no space left on device, write'],
    ['site_failed', '[ERROR] a page is wrong'],
  ])(
    'is distinguished from other failures of the site’s compiler, a separate program: %s',
    async (code, says) => {
      const folder = await temporaryFolder();
      const ends = join(folder, 'ends.mjs');
      await writeFile(ends, `console.error(${JSON.stringify(says)}); process.exit(1);`);
      vi.stubEnv('NODE_OPTIONS', `--import=${ends}`);
      onTestFinished(() => void vi.unstubAllEnvs());
      const failure = await failureOf(() => compileSite(join(folder, 'made')));
      expect(failure).toMatchObject({ code });
    },
  );

  async function expectRefusalByFileSize(out: string): Promise<void> {
    await publishTiny(out, { events: 1 });
    await expectRefusal(out, async () => {
      // In blocks of 512 bytes: the history does not fit.
      const { child, lines, ended } = startLoop([out, '3000', '3000'], 'ulimit -f 100;');
      await ended;
      expect(child.exitCode).toBe(1);
      return lines;
    });
    await publishTiny(out, { events: 2 });
  }
});

/** A file system of 1 MiB, if this user may mount one. */
function mountSmallDisk(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return false;
  }
  onTestFinished(() => void execFileSync('umount', ['-l', folder]));
  return true;
}
