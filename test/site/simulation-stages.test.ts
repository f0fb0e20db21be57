import { afterEach, expect, test, vi } from 'vitest';
import type { SimulationUpdate } from '../../src/simulation/protocol/session.ts';
import { openStage } from '../../src/site/components/simulation/stages.ts';
import { type ServerOptions, simulationServer } from '../sidecar/simulation/simulation-server.ts';

const START = { action: 'start_simulation', scenario: 'model_drift', seed: 1, paused: true } as const;
const FULL = { allowed: false, limit: 1, remaining: 0, resetSeconds: 60 };

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A page of the service that begins a run: where it is played, and why. */
async function begin({ isServed = true, port }: { isServed?: boolean; port: number }) {
  // A page waits some seconds for a connection, this machine as long as it takes.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.stubGlobal('location', { origin: `http://127.0.0.1:${port}`, pathname: '/' });
  vi.stubGlobal('window', { setTimeout });
  vi.stubGlobal('fetch', async () => new Response('', { headers: isServed ? { 'x-request-id': '1' } : {} }));
  const { promise: first, resolve } = Promise.withResolvers<SimulationUpdate>();
  const stage = await openStage({ update: resolve, refused: () => {} }, () => null);
  stage.say(START);
  const { tick } = await first;
  const where = { tick, isServed: stage.isServed(), whyHere: stage.whyHere() };
  stage.close();
  return where;
}

const limited: ServerOptions = { services: { limiter: { take: async () => FULL } as never } };
const uncounted: ServerOptions = {
  services: { limiter: { take: () => Promise.reject(new Error('the disk is full')) } as never },
};

test.each([
  ['by the service', {}, true, null],
  ['in the page, where the network has started too much', limited, true, 'limit'],
  ['in the page, where the service cannot count', uncounted, true, 'unable'],
  ['in the page, where it refuses the connection', { limits: { connections: 0 } }, true, 'offline'],
  ['in the page, on a host that has files alone', {}, false, 'no_service'],
] as const)('a run is played %s', async (_, options, isServed, whyHere) => {
  const { port } = await simulationServer(options as ServerOptions);
  expect(await begin({ port, isServed })).toEqual({ tick: 0, isServed: whyHere === null, whyHere });
});
