import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';
import type { KeyRecord } from '../../../src/sidecar/keys/key-store.ts';
import { createLimiter } from '../../../src/sidecar/limits/limiter.ts';
import { LoadGate } from '../../../src/sidecar/limits/load-gate.ts';
import { clientAddress } from '../../../src/sidecar/request/clients.ts';
import { SIMULATION_LIMITS, type SimulationLimits } from '../../../src/sidecar/simulation/limits.ts';
import {
  openSimulation,
  type Simulation,
  type SimulationServices,
} from '../../../src/sidecar/simulation/open-simulation.ts';
import { isSimulationUpgrade } from '../../../src/sidecar/simulation/reject-upgrade.ts';
import { simulationCounters } from '../../../src/sidecar/simulation/simulation-metrics.ts';
import { listen } from '../../listen.ts';
import { memoryCountStore } from '../limits/memory-count-store.ts';

export interface SimulationServer {
  url: string;
  port: number;
  simulation: Simulation;
  /** The count of a metric, without `cathedral_simulation_` and `_total`, over all labels or those that are given. */
  counted: (name: string, labels?: Record<string, string>) => Promise<number>;
  logged: unknown[];
}

export interface ServerOptions {
  limits?: Partial<SimulationLimits>;
  origins?: string[];
  keys?: KeyRecord[];
  services?: Partial<SimulationServices>;
}

/** The real thing on a server of its own; counts are in memory. */
export async function simulationServer(options: ServerOptions = {}): Promise<SimulationServer> {
  const { limits = {}, origins = [], keys = [], services = {} } = options;
  const logged: unknown[] = [];
  const limiter = createLimiter({ store: memoryCountStore(), random: randomBytes });
  const counters = simulationCounters();
  const simulation = openSimulation(
    {
      metrics: { simulation: counters },
      keys: { keyByHash: async (hash) => keys.find((key) => key.hash === hash) ?? null },
      limiter,
      gate: new LoadGate({ limits: { active: 10, loopDelayMs: 1e6 }, loopDelayMs: () => 0 }),
      logger: { error: (fault: unknown) => logged.push(fault), info: () => {} } as never,
      now: () => Date.UTC(2025, 11, 1),
      ...services,
    },
    {
      baseUrl: 'https://data.example.org',
      origins,
      addressOf: clientAddress(['127.0.0.1']),
      limits: {
        ...SIMULATION_LIMITS,
        startsPerClient: 2000,
        ...limits,
      },
    },
    () => 0.25,
  );
  const counted = async (name: string, labels: Record<string, string> = {}) => {
    const counter = counters[`cathedral_simulation_${name}_total` as keyof typeof counters];
    const { values } = await counter.get();
    const asked = values.filter((one) =>
      Object.entries(labels).every(([label, value]) => one.labels[label] === value),
    );
    return asked.reduce((sum, { value }) => sum + value, 0);
  };
  const answer = (_: unknown, response: { end: (text: string) => void }) => response.end('a page');
  const server = createServer({ shouldUpgradeCallback: isSimulationUpgrade }, answer);
  server.on('upgrade', simulation.upgrade);
  const { port } = await listen(server);
  onTestFinished(async () => {
    await simulation.close();
    server.closeAllConnections();
    server.close();
  });
  return { url: `ws://127.0.0.1:${port}/philosophy/simulation`, port, simulation, counted, logged };
}
