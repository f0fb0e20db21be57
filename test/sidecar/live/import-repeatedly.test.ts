import { expect, onTestFinished, test } from 'vitest';
import { importRepeatedly } from '../../../src/sidecar/live/follow-ledger.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';
import { CivicServer, civicChain } from '../../sources/civic/civic-server.ts';
import { importInto, SIGNER } from '../../sources/civic/import-fixture.ts';
import { publishSealed } from './live-ledger.ts';
import { serveLive } from './live-server.ts';
import { until } from './until.ts';

const NOON = '2025-12-01T12:30:00Z';

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
  const progress = importRepeatedly({
    importNew: async () => {
      await importNew();
      return null;
    },
    log: () => {},
    now: () => 1,
    signal: stop.signal,
    intervalMs: 5,
  });
  await until(async () => (await supply()) === '2025-12-01T12:09:00.25Z');
  await until(() => progress.succeededAt === 1);
  stop.abort();
  // The newest page, the end, and pages of the past, however often it has asked.
  expect(new Set(remote.requests).size).toBeLessThan(10);
  expect(server.live.fault()).toBeNull();
});
