import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FolderOrigin } from '../../pipeline/verify/folder-origin.ts';
import { runHere } from '../contract/commands/seam.ts';
import { updateMirror } from '../mirror/update-mirror.ts';
import { writeOrganisation } from '../organisation.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';

const BASE_URL = 'https://data.example.org';
const DAY_MS = 86_400_000;

test('a ledger changes its key: releases, readers with either key, mirrors and a rebuild go on', async () => {
  const folder = await temporaryFolder();
  const [ledger, out, events] = ['ledger', 'out', 'events.ndjson'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  let clock = Date.parse('2026-10-01T07:30:00Z');
  const run = (name: string, ...args: string[]) => runHere(name, args, { env: {}, now: () => clock });
  const done = async (name: string, ...args: string[]) => {
    const { status, stdout, stderr } = await run(name, ...args);
    expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
    return stdout;
  };
  const build = (...flags: string[]) =>
    run(
      'build',
      ...[
        '--ledger',
        ledger,
        '--out',
        out,
        '--without-site',
        '--base-url',
        BASE_URL,
        '--publisher-key',
        join(folder, 'publisher.key'),
      ],
      ...(flags.includes('--ledger-key') ? [] : ['--ledger-key', `${ledger}.vkey`]),
      ...flags,
    );
  /** Appends an event and publishes the slot when it is over. */
  const publish = async () => {
    const timestamp = new Date(clock).toISOString();
    writeFileSync(events, `${JSON.stringify({ timestamp, type: 'heartbeat', agent: 'ATLAS', data: {} })}\n`);
    await done('ledger append', events, '--ledger', ledger, '--ledger-key', `${ledger}.vkey`);
    clock += DAY_MS / 4;
    expect((await build('--ledger-signing-key', `${ledger}.key`)).stdout).toMatch(/^published /);
  };
  const keys = () => readFileSync(`${ledger}.vkey`, 'utf8').trim().split('\n');
  const fileOf = (name: string, ...lines: string[]) => {
    const path = join(folder, name);
    writeFileSync(path, `${lines.join('\n')}\n`);
    return path;
  };
  const verifies = async (ledgerKey: string) =>
    (await run('verify', out, '--ledger-key', ledgerKey, '--accept-expired')).status === 0;
  const mirrored = async () => {
    const options = { origin: await FolderOrigin.at(out), keys: null, now: () => clock };
    return (await updateMirror(BASE_URL, join(folder, 'mirror'), options)).outcome;
  };

  await done('ledger init', ledger, '--origin', 'ledger.example.org');
  writeOrganisation(ledger);
  await publish();
  expect(await mirrored()).toBe('mirrored');
  const [oldLine] = keys() as [string];
  await done('ledger rotate', ledger);
  expect(await run('ledger retire', ledger, '--overlap-days', '0')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('the new key to have signed the newest ledger snapshot'),
  });
  const [, newLine] = keys() as [string, string];
  expect(keys()).toEqual([oldLine, newLine]);
  const [onlyOld, onlyNew] = [fileOf('old.vkey', oldLine), fileOf('new.vkey', newLine)];

  // Both keys sign.
  await publish();
  expect([await verifies(onlyOld), await verifies(onlyNew), await verifies(`${ledger}.vkey`)]).toEqual([
    true,
    true,
    true,
  ]);
  expect(await mirrored()).toBe('mirrored');
  expect((await run('ledger retire', ledger)).stderr).toContain('expected a new key that is 30 days old');

  // Only the new one signs.
  clock += 30 * DAY_MS;
  await done('ledger retire', ledger);
  expect(keys()).toEqual([oldLine, newLine]);
  await publish();
  expect([await verifies(onlyOld), await verifies(onlyNew), await verifies(`${ledger}.vkey`)]).toEqual([
    false,
    true,
    true,
  ]);
  expect(await mirrored()).toBe('mirrored');

  // From genesis, the checkpoint of the first snapshot has the old signature alone.
  expect((await build('--rebuild', '--ledger-key', onlyNew)).stderr).toContain('(ledger_signature)');
  expect((await build('--rebuild')).status).toBe(0);
  await done(
    'check',
    '--ledger',
    ledger,
    '--ledger-key',
    `${ledger}.vkey`,
    '--out',
    out,
    '--base-url',
    BASE_URL,
  );
  await done('ledger check', ledger, '--ledger-key', `${ledger}.vkey`);
});
