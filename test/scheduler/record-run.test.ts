import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { BuildReport } from '../../pipeline/build/build.ts';
import { CathedralError, ERROR_CODES, type ErrorCode } from '../../pipeline/errors.ts';
import { readStatus, writeStatus } from '../../pipeline/release/format/status.ts';
import { recordNextRun, recordRun } from '../../src/scheduler/record-run.ts';
import { scheduledBuild } from '../../src/scheduler/scheduled-build.ts';
import { publishTiny } from '../release/publish-tiny.ts';
import { failureOf, temporaryFolder } from '../release/temporary-folder.ts';

const START = Date.parse('2025-12-01T06:01:00Z');

async function folder() {
  const out = await temporaryFolder();
  let clock = START;
  const now = () => {
    clock += 1000;
    return clock;
  };
  return { out, record: { out, software: 'cathedral-data-service 0.0.0', now } };
}

async function published(out: string): Promise<BuildReport> {
  const { outcome, release } = await publishTiny(out, { events: 5 });
  const findings = Array.from({ length: 30 }, (_, index) => `finding ${index}`);
  return {
    outcome,
    manifest: release.manifest,
    snapshots: 2,
    events: 5,
    findings,
    findingCount: 250,
    migrated: null,
  };
}

describe('the status', () => {
  test('after a run says what it published, how long it took, and the latest findings', async () => {
    const { out, record } = await folder();
    const report = await recordRun(record, () => published(out));
    const status = (await readStatus(out))!;
    expect(status.release!.id).toBe(report.manifest.release);
    expect(status.last_run).toMatchObject({
      started_at: '2025-12-01T06:01:01.000Z',
      finished_at: '2025-12-01T06:01:02.000Z',
      outcome: 'published',
      snapshots: 2,
      events: 5,
      error: null,
    });
    expect(status.last_run.findings.count).toBe(250);
    expect(status.last_run.findings.latest.at(-1)).toBe('finding 29');
    expect(status.next_run_at).toBeNull();
  });

  test('says what a run makes, what it has published so far, and what its release lacks', async () => {
    const { out, record } = await folder();
    const lacks = ['pages', 'pdfs'] as const;
    const cause = new CathedralError('site_failed', { place: `${out}/x`, expected: 'a', found: 'b' });
    const incomplete = { outcome: 'incomplete', snapshots: 2, events: 5 };
    await recordRun(record, async (runs) => {
      await runs.begins(['data', ...lacks]);
      expect(await readStatus(out)).toBeNull();
      const data = await published(out);
      await runs.hasPublished({ ...data, lacks });
      await runs.begins(lacks);
      expect(await readStatus(out)).toMatchObject({
        release: { id: data.manifest.release, lacks },
        running: { started_at: '2025-12-01T06:01:01.000Z', makes: lacks },
        last_run: { ...incomplete, error: null },
      });
      return { ...data, lacks, failure: cause };
    });
    const { code, message } = {
      code: 'site_failed',
      message: 'The site could not be built. The log of the run has the details.',
    };
    const ended = {
      release: { lacks },
      running: null,
      last_run: { ...incomplete, error: { code, message } },
    };
    expect(await readStatus(out)).toMatchObject(ended);
    // A run that fails leaves the release as it was.
    await failureOf(() => recordRun(record, () => Promise.reject(cause)));
    expect(await readStatus(out)).toMatchObject({ release: { lacks }, last_run: { outcome: 'failed' } });
    // Unless it fails after it has published, and before it can say so.
    const fails = async () => {
      await publishTiny(out, { events: 6 });
      throw cause;
    };
    const asked = ['data', 'charts'] as const;
    await failureOf(() => recordRun(record, (runs) => runs.begins(asked).then(fails)));
    expect(await readStatus(out)).toMatchObject({ release: { lacks: ['charts'], ledger: { size: 6 } } });
    await recordRun(record, (runs) => runs.begins(['data']).then(() => published(out)));
    expect((await readStatus(out))!.release!.lacks).toEqual([]);
  });

  test('after a failure has its code, and the release that is still served', async () => {
    const { out, record } = await folder();
    const { manifest } = await recordRun(record, () => published(out));
    const fault = new CathedralError('ledger_root', { place: `${out}/x:1`, expected: 'a', found: 'b' });
    expect(await failureOf(() => recordRun(record, () => Promise.reject(fault)))).toBe(fault);
    const status = (await readStatus(out))!;
    expect(status.release!.id).toBe(manifest.release);
    expect(status.last_run).toMatchObject({ outcome: 'failed', error: { code: 'ledger_root' } });
  });

  test('does not tell the world where this machine keeps its files, nor what a fault in the software printed', async () => {
    const { out, record } = await folder();
    const fault = { place: '/etc/keys/publisher.key', expected: `${out}/a`, found: 'a secret\nand more' };
    for (const code of Object.keys(ERROR_CODES) as ErrorCode[]) {
      if (code === 'locked') continue;
      await failureOf(() => recordRun(record, () => Promise.reject(new CathedralError(code, fault))));
      expect((await readStatus(out))!.last_run.error).toEqual({
        code,
        message: `${ERROR_CODES[code]} The log of the run has the details.`,
      });
    }
    await failureOf(() => recordRun(record, () => Promise.reject(new TypeError('secret'))));
    const status = JSON.stringify(await readStatus(out));
    expect(status).not.toContain('secret');
    expect(status).not.toContain(out);
  });

  test('stays the other’s where another run holds the lock', async () => {
    const { out, record } = await folder();
    await recordRun(record, () => published(out));
    const before = await readStatus(out);
    const fault = new CathedralError('locked', { place: out, expected: 'no other run', found: 'one' });
    await failureOf(() => recordRun(record, () => Promise.reject(fault)));
    expect(await readStatus(out)).toEqual(before);
  });

  test('keeps the time of the next run over a run by hand, until it has passed', async () => {
    const { out, record } = await folder();
    await recordRun(record, () => published(out));
    await recordNextRun(out, START + 3_600_000);
    await recordRun(record, () => published(out));
    expect((await readStatus(out))!.next_run_at).toBe('2025-12-01T07:01:00.000Z');
    await writeStatus(out, { ...(await readStatus(out))!, next_run_at: '2025-12-01T06:00:00.000Z' });
    await recordRun(record, () => published(out));
    expect((await readStatus(out))!.next_run_at).toBeNull();
  });

  test('is written anew where the old one cannot be read', async () => {
    const { out, record } = await folder();
    await writeFile(join(out, 'status.json'), 'half a stat');
    await recordRun(record, () => published(out));
    expect((await readStatus(out))!.last_run.outcome).toBe('published');
  });
});

describe('a run that cannot record itself', () => {
  const { execPath } = process;
  afterEach(() => {
    process.execPath = execPath;
  });
  const scheduled = async () => {
    const { out, record } = await folder();
    const noted: string[] = [];
    const note = (line: string) => noted.push(line);
    const build = { ...record, flags: [], delayMs: 0, signal: new AbortController().signal, note };
    return { out, build, noted };
  };

  test.each(['SIGKILL', 'SIGABRT'])(
    'because the system or V8 ended it with %s is a failed one, and the log says so',
    async (signal) => {
      const { out, build, noted } = await scheduled();
      process.execPath = join(out, 'program');
      await writeFile(process.execPath, `#!/bin/sh\nkill -s ${signal.slice(3)} $$\n`, { mode: 0o755 });
      expect(await scheduledBuild(build)).toBe('failed');
      const message = `The run ended unexpectedly: ${signal}, probably because the memory did not suffice.`;
      expect(await readStatus(out)).toMatchObject({
        release: null,
        last_run: { outcome: 'failed', error: { message } },
      });
      expect(noted).toEqual([message]);
    },
  );

  test('because it cannot be started is a failed one, also where that cannot be recorded', async () => {
    const { out, build, noted } = await scheduled();
    process.execPath = join(out, 'no-program');
    expect(await scheduledBuild(build)).toBe('failed');
    const message = 'The run ended unexpectedly: ENOENT.';
    expect(await readStatus(out)).toMatchObject({ last_run: { outcome: 'failed', error: { message } } });
    expect(await scheduledBuild({ ...build, out: join(out, 'status.json') })).toBe('failed');
    expect(noted).toEqual([message, message]);
  });
});
