import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ImportProgress } from '../../../src/sidecar/health/readiness.ts';
import { IMPORT_INTERVAL_MS, importPeriodically } from '../../../src/sidecar/live/import-periodically.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';
import { CivicServer, civicChain } from '../../sources/civic/civic-server.ts';
import { importInto, SIGNER } from '../../sources/civic/import-fixture.ts';
import { publishSealed } from './live-ledger.ts';
import { serveLive } from './live-server.ts';
import { until } from './until.ts';

const NOON = '2025-12-01T12:30:00Z';
const nothingImported = (): ImportProgress => ({ succeededAt: null, failures: 0, unread: null });

/** Imports once per outcome, each of which may be an error; returns the waits and the reports. */
async function importing(outcomes: readonly (Error | null)[]) {
  const stop = new AbortController();
  const waits: number[] = [];
  const reports: string[] = [];
  const progress = nothingImported();
  let imports = 0;
  await importPeriodically({
    progress,
    now: () => imports,
    async importNew() {
      const outcome = outcomes[imports];
      imports += 1;
      if (outcome) throw outcome;
    },
    report: (error) => void reports.push(String(error)),
    async sleep(ms) {
      waits.push(ms / IMPORT_INTERVAL_MS);
      if (imports === outcomes.length) stop.abort();
    },
    signal: stop.signal,
  });
  return { waits, reports, imports, progress };
}

const down = new Error('down');

describe('importing periodically', () => {
  test('waits the interval before each', async () => {
    const done = {
      waits: [1, 1, 1, 1],
      reports: [],
      imports: 3,
      progress: { succeededAt: 3, failures: 0, unread: null },
    };
    expect(await importing([null, null, null])).toEqual(done);
  });

  test('doubles the interval while it fails, and resets it after a success', async () => {
    const { waits } = await importing([down, down, down, down, down, down, null, null]);
    expect(waits).toEqual([1, 2, 4, 8, 15, 15, 15, 1, 1]);
  });

  test('reports an error once while it stays the same, and again when it returns', async () => {
    const other = new Error('another');
    const { reports, progress } = await importing([down, down, other, other, null, down]);
    expect(progress).toEqual({ succeededAt: 5, failures: 1, unread: null });
    expect(reports).toEqual(['Error: down', 'Error: another', 'Error: down']);
  });

  test('ends without another import when it is aborted during a wait', async () => {
    const stop = new AbortController();
    let imports = 0;
    const ended = importPeriodically({
      progress: nothingImported(),
      now: Date.now,
      async importNew() {
        imports += 1;
      },
      report: () => {},
      sleep: (ms, signal) => wait(ms, undefined, { signal }),
      signal: stop.signal,
    });
    stop.abort();
    await ended;
    expect(imports).toBe(0);
  });
});

test('an event of a remote ledger is seen after the next import, with few requests to that ledger', async () => {
  const folder = await temporaryFolder();
  const [ledger, out] = [`${folder}/imported`, `${folder}/out`];
  const chain = civicChain(400, { timestamp: '2025-12-01T05:30:00.25+00:00' });
  const remote = await CivicServer.start(chain.slice(0, 395));
  onTestFinished(() => remote.close());
  const importNew = () => importInto(ledger, remote.url, { now: NOON });
  await importNew();
  await publishSealed(ledger, out, [SIGNER.verifier]);
  const server = await serveLive({ ledger, out }, { verifiers: [SIGNER.verifier] });
  onTestFinished(server.close);
  const supply = async () => (await (await fetch(`${server.url}/economy/supply`)).json()).timestamp;
  expect(await supply()).toBe('2025-12-01T12:04:00.25Z');
  remote.events = chain;
  remote.requests.length = 0;
  const stop = new AbortController();
  const sleep = (_: number, signal: AbortSignal) => wait(5, undefined, { signal });
  const ended = importPeriodically({
    progress: nothingImported(),
    now: Date.now,
    importNew,
    report: () => {},
    sleep,
    signal: stop.signal,
  });
  await until(async () => (await supply()) === '2025-12-01T12:09:00.25Z');
  stop.abort();
  await ended;
  // The newest page, the end, and pages of the past, however often it has asked.
  expect(new Set(remote.requests).size).toBeLessThan(10);
  expect(server.live.fault()).toBeNull();
});
