import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { formatVerifierKey } from '../../pipeline/ledger/notes/note.ts';
import { RunningCli } from '../contract/commands/seam.ts';
import { type Lie, LyingServer, serve } from '../contract/lies/host.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { isSweep } from '../setups/sweep.ts';
import { PUBLISHER, type Site, smallSite } from './small-service.ts';
import { contents, servedBy, updateMirror } from './update-mirror.ts';

const KEY = formatVerifierKey(PUBLISHER.verifier);

/** Some hundred files, a part of which is new with each release. */
const manyFiles = (release: number): Site =>
  smallSite({
    release,
    manifest: (manifest) => ({ ...manifest, expires: '2099-01-01T00:00:00Z' }),
    files: (files, version) => {
      for (let index = 0; index < 60; index += 1) {
        const content = `${index % 3 === 0 ? version : 'the same'} ${index} `.repeat(2000);
        files.set(`many/${index}`, Buffer.from(content));
      }
    },
  });

/** What a release consists of, without log and snapshots, which may be ahead of it. */
const released = (site: Site) => contents(site).filter((line) => !/^(log|snapshots)\//.test(line));

/** After how many requests each round is killed. */
const ROUNDS = isSweep ? [20, 5, 25, 15, 30] : [20];

test('a mirror that is killed at any moment serves a complete release, and resumes', async () => {
  const folder = await temporaryFolder();
  const server = await LyingServer.start(manyFiles(1));
  onTestFinished(() => server.close());
  const sites = [server.site];
  await updateMirror(server.url, folder);
  for (const [round, most] of ROUNDS.entries()) {
    server.site = manyFiles(round + 2);
    sites.push(server.site);
    server.requests.length = 0;
    // Further ones get no answer, so that it cannot end before.
    const answer: Lie = (response, request, bytes) => {
      if (server.requests.length <= most) serve(response, request, bytes);
    };
    for (const path of server.site.keys()) server.lies.set(path, answer);
    const run = new RunningCli(['mirror', server.url, folder, '--verifier-key', KEY]);
    while (server.requests.length <= most && run.child.exitCode === null) await sleep(1);
    run.child.kill('SIGKILL');
    const { status, signal } = await run.finished();
    expect([status, signal]).toEqual([null, 'SIGKILL']);
    expect(sites.map(released)).toContainEqual(released(await servedBy(folder)));
  }
  server.lies.clear();
  server.requests.length = 0;
  await updateMirror(server.url, folder);
  expect(contents(await servedBy(folder)).filter(isWhole)).toEqual(contents(server.site).filter(isWhole));
  expect(server.requests.length).toBeLessThan(server.site.size);
  const left = (await readdir(folder)).filter((name) => !name.startsWith('lock'));
  expect(left.sort()).toEqual(['current', 'log', 'mirror.json', 'releases', 'snapshots']);
});

/** Parts of tiles depend on which releases were seen on the way. */
const isWhole = (line: string) => !line.includes('.p/');
