import { appendFile, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { emptyState } from '../../pipeline/model/empty-state.ts';
import { apply } from '../../pipeline/model/fold.ts';
import { supply } from '../../pipeline/model/queries/supply.ts';
import { runFeeder } from '../../pipeline/sample/feeder/run-feeder.ts';
import { sampleEvents } from '../../pipeline/sample/sample-events.ts';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { readVerified } from './verified.ts';

const MINUTE = 60_000;

/** Runs the feeder from one time to another, on a clock that only its sleep advances. */
async function feed(
  ledger: string,
  from: string,
  to: string,
  pace: [number, number] = [8 * MINUTE, 20 * MINUTE],
) {
  let clock = Date.parse(from);
  const stop = new AbortController();
  const sleep = async (ms: number) => {
    clock += ms;
    if (clock >= Date.parse(to)) stop.abort();
  };
  await runFeeder({ ledger, seed: 1, now: () => clock, sleep, signal: stop.signal, pace });
}

async function findings(ledger: string): Promise<string[]> {
  const { events } = await readVerified(ledger);
  const state = events.reduce((state, event) => apply(state, { event, hash: '' }), emptyState());
  expect(supply(state).circulating).toBeGreaterThan(0n);
  return state.findings.recent.map(({ message }) => message);
}

/** Salts of the sample's own events up to this time; they identify the events. */
function naturalSalts(to: string): string[] {
  return [...sampleEvents({ to })].flatMap(({ events }) => events).map(({ salt }) => salt);
}

describe('the feeder', () => {
  test('continues the sample, adds extra events, and seals each slot that has ended', async () => {
    await using folder = await temporaryFolder();
    const ledger = folder.path('ledger');
    await writeSample({ out: ledger, to: '2025-07-04T08:00:00Z' });
    const before = await readVerified(ledger);
    await feed(ledger, '2025-07-04T08:00:00Z', '2025-07-05T02:00:00Z');
    const after = await readVerified(ledger);
    expect(after.snapshots.map(({ id }) => id).slice(-3)).toEqual([
      '2025-07-04T12Z',
      '2025-07-04T18Z',
      '2025-07-05T00Z',
    ]);
    expect(after.events.slice(0, before.events.length)).toEqual(before.events);
    const salts = new Set(after.events.map(({ salt }) => salt));
    expect(naturalSalts('2025-07-05T01:58:00Z').filter((salt) => !salts.has(salt))).toEqual([]);
    const natural = new Set(naturalSalts('2025-07-06'));
    const extra = after.events.filter(({ salt }) => !natural.has(salt));
    expect(extra.length).toBeGreaterThan(50);
    expect(new Set(extra.map(({ type }) => type))).toEqual(
      new Set(['heartbeat', 'mic_burn', 'mic_lock', 'mic_unlock']),
    );
    expect(await findings(ledger)).toEqual([]);
  });

  test('starts with genesis in an empty folder', async () => {
    await using folder = await temporaryFolder();
    await feed(folder.path('new'), '2025-07-03T07:00:00Z', '2025-07-03T08:00:00Z');
    const { events, snapshots } = await readVerified(folder.path('new'));
    expect(events[0]!.type).toBe('genesis');
    expect(snapshots.map(({ id }) => id)).toEqual(['2025-07-03T06Z']);
    expect(await findings(folder.path('new'))).toEqual([]);
  });

  test('catches up slot by slot after days without it', async () => {
    await using folder = await temporaryFolder();
    const ledger = folder.path('ledger');
    await writeSample({ out: ledger, to: '2025-07-04T15:00:00Z' });
    await feed(ledger, '2025-07-04T15:00:00Z', '2025-07-04T16:00:00Z');
    await feed(ledger, '2025-07-06T01:00:00Z', '2025-07-06T02:00:00Z');
    const { events, snapshots, head } = await readVerified(ledger);
    expect(snapshots).toHaveLength(12);
    expect(snapshots.at(-1)!.id).toBe('2025-07-06T00Z');
    expect(head).toBeGreaterThan(0);
    const salts = new Set(events.map(({ salt }) => salt));
    expect(naturalSalts('2025-07-06T01:00:00Z').filter((salt) => !salts.has(salt))).toEqual([]);
    expect(salts.size).toBe(events.length);
    expect(await findings(ledger)).toEqual([]);
  });

  test('resumes after a kill in the middle of a line without losing or repeating an event', async () => {
    await using folder = await temporaryFolder();
    const ledger = folder.path('ledger');
    const head = join(ledger, 'head.ndjson');
    await writeSample({ out: ledger, to: '2025-07-04T00:00:00Z' });
    await feed(ledger, '2025-07-04T00:00:00Z', '2025-07-04T03:00:00Z');
    const whole = await readFile(head, 'utf8');
    const lines = whole.trimEnd().split('\n');
    for (const cut of [1, 5]) {
      const kept = lines
        .slice(0, -cut)
        .map((line) => `${line}\n`)
        .join('');
      await writeFile(head, kept + lines.at(-cut)!.slice(0, 40));
      await feed(ledger, '2025-07-04T03:00:00Z', '2025-07-04T03:30:00Z');
      const { events } = await readVerified(ledger);
      const salts = events.map(({ salt }) => salt);
      expect(new Set(salts).size).toBe(salts.length);
      const known = new Set(salts);
      expect(naturalSalts('2025-07-04T03:00:00Z').filter((salt) => !known.has(salt))).toEqual([]);
      expect(await findings(ledger)).toEqual([]);
    }
  });

  test('completes a second of which a kill left only the first event', async () => {
    await using folder = await temporaryFolder();
    const ledger = folder.path('ledger');
    const head = join(ledger, 'head.ndjson');
    // An audit records itself and the date of the next one in the same second.
    await writeSample({ out: ledger, to: '2025-07-03T12:00:00Z' });
    await feed(ledger, '2025-07-03T12:00:00Z', '2025-07-03T16:00:00Z');
    const lines = (await readFile(head, 'utf8')).trimEnd().split('\n');
    const place = lines.findIndex((line) => line.includes('"type":"audit_scheduled"'));
    expect(JSON.parse(lines[place - 1]!).type).toBe('compliance_audited');
    await writeFile(head, `${lines.slice(0, place).join('\n')}\n`);
    await feed(ledger, '2025-07-03T16:00:00Z', '2025-07-03T16:20:00Z');
    const after = (await readFile(head, 'utf8')).trimEnd().split('\n');
    const salt = (line: string) => JSON.parse(line).salt;
    expect(salt(after[place]!)).toBe(salt(lines[place]!));
    expect(await findings(ledger)).toEqual([]);
  });

  test('survives a kill between writing the checkpoint and clearing the head', async () => {
    await using folder = await temporaryFolder();
    const ledger = folder.path('ledger');
    const head = join(ledger, 'head.ndjson');
    await writeSample({ out: ledger, to: '2025-07-05T00:00:00Z' });
    await feed(ledger, '2025-07-05T00:00:00Z', '2025-07-05T05:59:00Z');
    const sealed = await readFile(head, 'utf8');
    await feed(ledger, '2025-07-05T05:59:00Z', '2025-07-05T06:00:01Z');
    await writeFile(head, sealed);
    await feed(ledger, '2025-07-05T06:01:00Z', '2025-07-05T12:30:00Z');
    const { snapshots, events } = await readVerified(ledger);
    expect(snapshots.slice(-2).map(({ id }) => id)).toEqual(['2025-07-05T06Z', '2025-07-05T12Z']);
    expect(new Set(events.map(({ salt }) => salt)).size).toBe(events.length);
    expect(await findings(ledger)).toEqual([]);
  });

  test('survives a kill before the checkpoint of a snapshot', async () => {
    await using folder = await temporaryFolder();
    const ledger = folder.path('ledger');
    await writeSample({ out: ledger, to: '2025-07-05T00:00:00Z' });
    await feed(ledger, '2025-07-05T00:00:00Z', '2025-07-05T05:00:00Z');
    await writeFile(join(ledger, 'snapshots', '2025-07-05T06Z.ndjson.zst'), 'cut off');
    await feed(ledger, '2025-07-05T05:10:00Z', '2025-07-05T07:00:00Z');
    expect((await readVerified(ledger)).snapshots.at(-1)!.id).toBe('2025-07-05T06Z');
    expect(await findings(ledger)).toEqual([]);
  });

  test('waits while the ledger is ahead of the clock', async () => {
    await using folder = await temporaryFolder();
    const ledger = folder.path('ledger');
    await writeSample({ out: ledger, to: '2025-07-05T12:00:00Z' });
    const before = await readVerified(ledger);
    await feed(ledger, '2025-07-05T10:00:00Z', '2025-07-05T11:59:00Z');
    expect(await readVerified(ledger)).toEqual(before);
  });

  test('rejects a damaged ledger and does not change it', async () => {
    await using folder = await temporaryFolder();
    const ledger = folder.path('ledger');
    await writeSample({ out: ledger, to: '2025-07-04T01:00:00Z' });
    const head = join(ledger, 'head.ndjson');
    await appendFile(head, '{"seq":1}\n');
    const damaged = await readFile(head, 'utf8');
    const attempt = feed(ledger, '2025-07-04T01:00:00Z', '2025-07-04T02:00:00Z');
    await expect(attempt).rejects.toThrow(expect.objectContaining({ code: 'ledger_schema' }));
    expect(await readFile(head, 'utf8')).toBe(damaged);
    await writeFile(head, damaged.replace('{"seq":1}\n', ''));
    await truncate(join(ledger, 'snapshots', '2025-07-03T12Z.ndjson.zst'), 50);
    await expect(feed(ledger, '2025-07-04T01:00:00Z', '2025-07-04T02:00:00Z')).rejects.toThrow(
      expect.objectContaining({ code: 'ledger_corrupt' }),
    );
    expect(await readdir(join(ledger, 'snapshots'))).toHaveLength(8);
  });
});
