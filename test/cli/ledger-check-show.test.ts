import { appendFileSync, chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LedgerEvent } from '../../pipeline/ledger/event.ts';
import { formatEventLine } from '../../pipeline/ledger/event-line.ts';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { runHere } from './run-cli.ts';

const now = () => Date.parse('2025-07-05T01:00:00Z');
const check = (ledger: string, ...flags: string[]) =>
  runHere('ledger check', [ledger, ...flags], { env: {}, now });

test('ledger check reports what the fold finds, and warnings as errors only with --strict', async () => {
  const ledger = join(await temporaryFolder(), 'ledger');
  await writeSample({ out: ledger, from: '2025-07-03', to: '2025-07-05' });
  const sound = await check(ledger, '--strict');
  expect(sound).toMatchObject({ status: 0, stderr: expect.stringContaining(`checking ${ledger}`) });
  expect(sound.stdout).toMatch(
    /^signed by {5}ledger\.cathedral\.example\S+: 8 checkpoints, 2025-07-03T06Z to/m,
  );
  expect(sound.stdout).toMatch(/\nThe ledger is valid: no errors, no warnings\.\n$/);

  const events = JSON.parse((await check(ledger, '--json')).stdout).events.sealed;
  const event = (seq: number, type: string, data: object): LedgerEvent => ({
    seq,
    timestamp: '2025-07-05T00:30:00Z',
    cycle: 'C-2',
    type,
    agent: 'ATLAS',
    data: data as LedgerEvent['data'],
    salt: 'A'.repeat(22),
  });
  const lines = [event(events, 'mint', {}), event(events + 1, 'sentinel_retired', { sentinel: 'NOBODY' })];
  appendFileSync(join(ledger, 'head.ndjson'), lines.map((one) => `${formatEventLine(one)}\n`).join(''));
  const before = contentOf(ledger);
  const { status, stdout } = await check(ledger);
  expect(status).toBe(0);
  expect(stdout).toContain('ignored       1 event of type mint\n');
  expect(stdout).toMatch(/^warning: event \d+: expected the type mic_mint, found mint, .* \(type\)$/m);
  expect(stdout).toMatch(new RegExp(`^warning: event ${events + 1}: .*NOBODY.* \\(fold\\)$`, 'm'));
  const strict = await check(ledger, '--strict', '--json');
  expect(strict.status).toBe(1);
  expect(JSON.parse(strict.stdout)).toMatchObject({
    valid: false,
    events: { sealed: events, head: 2 },
    ignored_events: { mint: 1 },
    findings: [
      { severity: 'warning', code: 'type', place: `event ${events}`, count: 1 },
      { severity: 'warning', code: 'fold', place: `event ${events + 1}` },
    ],
  });
  expect(contentOf(ledger)).toEqual(before);
});

test('ledger check takes the keys beside a ledger, and warns of a signing key that others can read', async () => {
  const ledger = join(await temporaryFolder(), 'ledger');
  const at = { env: {}, now };
  await runHere('ledger init', [ledger, '--origin=ledger.example.org', '--from=2025-07-04T00:00:00Z'], at);
  await runHere('ledger seal', [ledger], at);
  const sound = await check(ledger, '--strict');
  expect(sound).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^signed by +ledger\.example\.org\+/m),
  });
  chmodSync(`${ledger}.key`, 0o640);
  expect(await check(ledger)).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(`warning: ${ledger}.key: Others than its owner can read or change`),
  });
  // The key of another ledger, given by flag, is not replaced by the right one.
  const other = await check(ledger, '--ledger-key=data/keys/ledger.vkey');
  expect(other).toMatchObject({ status: 1, stdout: expect.stringContaining('(ledger_signature)') });
});

test('ledger check refuses what is not a ledger, and keys that do not exist', async () => {
  const folder = await temporaryFolder();
  const nothing = await check(folder);
  expect(nothing).toMatchObject({ status: 1, stdout: '' });
  expect(nothing.stderr).toContain(
    `${folder}: expected a folder snapshots, found nothing (ledger_unreadable)`,
  );
  expect(await check(folder, '--ledger-key', join(folder, 'none'))).toMatchObject({ status: 2, stdout: '' });
});

function contentOf(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return new Map(files.map((name) => [name, readFileSync(join(folder, name), 'latin1')]));
}

test('ledger show prints events as lines, as NDJSON and as JSON, and where they are', async () => {
  const ledger = join(await temporaryFolder(), 'ledger');
  await writeSample({ out: ledger, from: '2025-07-03', to: '2025-07-05' });
  const show = (...flags: string[]) => runHere('ledger show', [ledger, ...flags], { env: {}, now });
  const raw = await show('--seq=0', '--raw');
  expect(raw.stdout).toMatch(/^\{"seq":0,"timestamp":"2025-07-03T00:00:00Z",.*\}\n$/);
  const head = { ...JSON.parse(raw.stdout), seq: 1e6, type: 'hint', data: { text: 'a\u001b[2J' } };
  const [newest = ''] = (await show('--reverse', '--limit=1', '--raw')).stdout.split('\n');
  const { seq } = JSON.parse(newest);
  appendFileSync(
    join(ledger, 'head.ndjson'),
    `${formatEventLine({ ...head, seq: seq + 1, timestamp: '2025-07-05T00:30:00Z', cycle: 'C-2' })}\n`,
  );
  // The text of an event must not control the terminal.
  expect((await show('--from=C-2', '--to=C-2')).stdout).toBe(
    `${`${seq + 1}`.padStart(7)}  2025-07-05T00:30:00Z  C-2  head            hint  LEDGER  {"text":"a\\u001b[2J"}\n`,
  );
  const listed = JSON.parse((await show('--reverse', '--limit=2', '--json')).stdout);
  expect(listed).toMatchObject([
    { seq: seq + 1, snapshot: null, attestation_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
    { seq, snapshot: '2025-07-05T00Z' },
  ]);
  expect(await show('--type=mint', '--json')).toMatchObject({
    status: 0,
    stdout: '[]\n',
    stderr: expect.stringContaining('No event matches. Did you mean mic_mint?'),
  });
  for (const wrong of ['--seq=5-3', '--from=yesterday', '--to=2025-02-30', '--from=C-99999999', '--limit=0'])
    expect(await show(wrong)).toMatchObject({ status: 2, stdout: '' });
  expect(await show('--raw', '--json')).toMatchObject({ status: 2 });
});
