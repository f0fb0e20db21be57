/**
 * A server of simulations, or the least that sends as much at the same pace: `simulation.ts ours`, `simulation.ts bare BYTES`.
 * The bare one sends so many bytes a second to whoever has said something.
 */
import { createServer, type Server } from 'node:http';
import { WebSocketServer } from 'ws';
import { LoadGate } from '../../../src/sidecar/limits/load-gate.ts';
import { clientAddress } from '../../../src/sidecar/request/clients.ts';
import { SIMULATION_LIMITS } from '../../../src/sidecar/simulation/limits.ts';
import { openSimulation } from '../../../src/sidecar/simulation/open-simulation.ts';
import { simulationCounters } from '../../../src/sidecar/simulation/simulation-metrics.ts';
import { announce } from './announce.ts';

const PACE_MS = 1000;
const MANY = 100_000;

const KINDS: Record<string, (bytes: number) => Server> = { ours, bare };
const [kind = 'ours', bytes = '0'] = process.argv.slice(2);
await announce(KINDS[kind]!(Number(bytes)), (port) => `ws://127.0.0.1:${port}/philosophy/simulation`);

function ours(): Server {
  const simulation = openSimulation(
    {
      keys: { keyByHash: async () => null },
      limiter: null,
      gate: new LoadGate({
        limits: { active: MANY, loopDelayMs: MANY },
        loopDelayMs: () => 0,
      }),
      logger: console,
      metrics: { simulation: simulationCounters() },
      now: Date.now,
    },
    {
      baseUrl: 'http://localhost',
      origins: [],
      addressOf: clientAddress(null),
      limits: {
        ...SIMULATION_LIMITS,
        connections: MANY,
        connectionsPerClient: MANY,
        startsPerClient: MANY,
        workPerSecond: MANY,
      },
    },
  );
  return createServer().on('upgrade', simulation.upgrade);
}

function bare(size: number): Server {
  const message = 'x'.repeat(size);
  const sockets = new WebSocketServer({ noServer: true, clientTracking: false });
  return createServer().on('upgrade', (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (client) => {
      client.once('message', () => {
        client.send(message);
        const beat = setInterval(() => client.send(message), PACE_MS);
        client.on('close', () => clearInterval(beat));
      });
    });
  });
}
