import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { withLock } from '../../pipeline/disk/lock.ts';
import { readStatus } from '../../pipeline/release/format/status.ts';
import { CivicServer, civicChain } from '../ledger/civic/civic-server.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { publisherKey, RunningCli, runCli, runHere } from './run-cli.ts';

async function sampleLedger(to: string): Promise<{ folder: string; ledger: string; out: string }> {
  const folder = await temporaryFolder();
  const ledger = join(folder, 'ledger');
  const { status, stdout } = await runHere('sample', ['--ledger', ledger, '--to', to, '--seed=7']);
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^\d+ events in \d+ snapshots, as of /)]);
  return { folder, ledger, out: join(folder, 'out') };
}

/** With the key that a process has for the same folder. */
function here([name = '', ...args]: readonly string[]) {
  const CATHEDRAL_PUBLISHER_KEY = publisherKey(args[args.indexOf('--out') + 1]!);
  return runHere(name, args, { env: { CATHEDRAL_PUBLISHER_KEY } });
}

describe('cathedral build', () => {
  test('publishes a ledger, once, and says so in its result and its status', async () => {
    const { ledger, out } = await sampleLedger('2025-07-05');
    let purges = 0;
    const cdn = createServer((_, response) => {
      purges += 1;
      response.end();
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void cdn.close());
    await once(cdn, 'listening');
    const purge = `http://127.0.0.1:${(cdn.address() as AddressInfo).port}/`;
    const args = ['build', '--ledger', ledger, '--out', out, '--without-site', '--purge-url', purge];
    const first = await runCli(args);
    expect([first.status, first.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^published 2025-07-05T00Z-[0-9a-f]{8}: \d+ files; 8 new snapshots, \d+ new events, 0 findings; /,
      ),
    ]);
    const served = await readlink(join(out, 'current'));
    const second = await here(args);
    expect([second.status, second.stdout]).toEqual([0, expect.stringMatching(/^unchanged 2025-07-05T00Z-/)]);
    expect(await readlink(join(out, 'current'))).toBe(served);
    expect((await readStatus(out))!.last_run.outcome).toBe('unchanged');
    // Caches keep what did not change.
    expect(purges).toBe(1);
    expect((await here(['check', '--out', out, '--ledger', ledger])).stdout).toBe(
      'the release agrees with its manifest and the ledger\n',
    );
  });

  test('publishes the papers of the organisation’s own folder, or names the line that keeps it from that', async () => {
    const { folder, ledger, out } = await sampleLedger('2025-07-04');
    const documents = join(folder, 'texts');
    await mkdir(documents);
    await copyFile('data/documents/organisation.json', join(documents, 'organisation.json'));
    const bibliography = join(documents, 'papers.bib');
    const entry = (
      rest: string,
    ) => `% Ours\n\n@article{Smith2026,\n  author = {Smith, A.}, title = {On {\\'e}tudes}, year = 2026,
  journal = {J}, abstract = {A result.}, doi = {10.1/x}${rest}\n}\n`;
    await writeFile(bibliography, entry(''));
    const args = ['build', '--ledger', ledger, '--out', out, '--without-site', '--documents', documents];
    const refused = await here(args);
    expect([refused.status, refused.stderr]).toEqual([
      1,
      expect.stringContaining(`${bibliography}:3: Smith2026.pubstate: expected pubstate = {…} with `),
    ]);
    expect(existsSync(join(out, 'current'))).toBe(false);
    await writeFile(bibliography, entry(', pubstate = {in press}'));
    expect(await here(args)).toMatchObject({ status: 0 });
    const published = async (path: string) => readFile(join(out, 'current/public', path), 'utf8');
    expect(JSON.parse(await published('academics/papers.json')).papers).toEqual([
      {
        id: 'Smith2026',
        title: 'On études',
        status: 'forthcoming',
        venues: ['J'],
        key_result: 'A result.',
        path: 'https://doi.org/10.1/x',
      },
    ]);
    expect(await published('academics/citations.bib')).toContain(
      "{cathedral_paper_smith2026,\n  author = {Smith, A.},\n  title = {{On {\\'{e}}tudes}},\n  year = {2026},\n  url = {https://doi.org/10.1/x},",
    );
    for (const path of ['treaty-framework', 'standards', 'protocols'])
      expect(JSON.parse(await published(`diplomacy/${path}.json`))).toMatchObject({
        title: null,
        version: null,
      });
  });

  test('exits 1 with one message that names file, expected and found where the ledger is damaged', async () => {
    const { ledger, out } = await sampleLedger('2025-07-04');
    const args = ['build', '--ledger', ledger, '--out', out, '--without-site'];
    const snapshot = join(ledger, 'snapshots/2025-07-03T12Z.ndjson.zst');
    const bytes = await readFile(snapshot);
    await writeFile(snapshot, bytes.subarray(0, bytes.length - 9));
    const { status, stdout, stderr } = await runCli(args);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^cathedral: \S*2025-07-03T12Z\S*: expected .+, found .+ \(ledger_corrupt\)$/m);
    expect((await readStatus(out))!.last_run).toMatchObject({
      outcome: 'failed',
      error: { code: 'ledger_corrupt' },
    });
    await writeFile(snapshot, bytes);
    expect((await here(args)).status).toBe(0);
  });

  test('leaves at once, or after a while, where another run holds the lock', async () => {
    const { ledger, out } = await sampleLedger('2025-07-04');
    await withLock(out, { waitMs: 0, holder: 'a test' }, async () => {
      const { status, stderr } = await here([
        'build',
        '--ledger',
        ledger,
        '--out',
        out,
        '--wait=0',
        '--without-site',
      ]);
      expect([status, stderr]).toEqual([1, expect.stringContaining('found a test (locked)')]);
    });
  });

  test.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)(
    'stopped by %s exits %d, publishes nothing, and the next run goes on',
    async (signal, expected) => {
      const { ledger, out } = await sampleLedger('2025-09-01');
      const args = ['build', '--ledger', ledger, '--out', out, '--without-site'];
      const cli = new RunningCli(args);
      while (!(await readdir(out).catch(() => [])).some((name) => name.startsWith('staging-'))) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      cli.child.kill(signal);
      const { status, stderr } = await cli.finished();
      expect([status, stderr]).toEqual([expected, expect.stringContaining(`Stopped by ${signal}`)]);
      expect(await readdir(out)).not.toContain('current');
      expect((await here(args)).status).toBe(0);
      expect((await readdir(out)).filter((name) => name.startsWith('staging-'))).toEqual([]);
    },
  );

  test('imports a remote ledger, the same again from the same secret', async () => {
    const folder = await temporaryFolder();
    const server = await CivicServer.start(civicChain(250));
    onTestFinished(() => server.close());
    const build = (name: string) =>
      here([
        ...[
          'build',
          '--without-site',
          '--allow-placeholders',
          '--ledger',
          `civic+${server.url}/`,
          '--out',
          join(folder, name, 'out'),
        ],
        ...[
          '--import-folder',
          join(folder, name, 'ledger'),
          '--import-key',
          join(folder, 'secret/import.key'),
        ],
      ]);
    const first = await build('first');
    expect([first.status, first.stdout]).toEqual([0, expect.stringContaining('250 new events')]);
    const release = await readlink(join(folder, 'first/out/current'));
    const checked = await runHere('ledger check', [join(folder, 'first/ledger')]);
    expect(checked.stdout).toContain('The ledger is valid: no errors');
    await build('second');
    expect(await readlink(join(folder, 'second/out/current'))).toBe(release);
    await rm(join(folder, 'secret'), { recursive: true });
    await build('third');
    expect(await readlink(join(folder, 'third/out/current'))).not.toBe(release);
  });
});
