import { cp, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BuildReport, build } from '../../pipeline/build/build.ts';
import { type Cluster, clusterRun, shareStatus } from '../../pipeline/build/cluster.ts';
import { DATA_ONLY } from '../../pipeline/build/plan.ts';
import { exists } from '../../pipeline/disk/durable.ts';
import { recordRun } from '../../src/scheduler/record-run.ts';
import { signer } from '../ledger/test-signer.ts';
import { BASE_URL, NOW } from '../release/small-service.ts';

/** A publisher of a cluster, with a folder and a key file of its own. */
export interface Machine {
  name: string;
  out: string;
  keyFile: string;
  ledger: string;
}

export function machineIn(folder: string, name: string, ledger: string): Machine {
  const own = join(folder, name);
  return { name, out: join(own, 'out'), keyFile: join(own, 'publisher.key'), ledger };
}

/** As an operator gives another machine the keys. */
export async function copyKeys(from: Machine, to: Machine): Promise<void> {
  await mkdir(dirname(to.keyFile), { recursive: true });
  if (await exists(from.keyFile)) await cp(from.keyFile, to.keyFile);
}

export type Means = Pick<Cluster, 'database' | 'objects'> &
  Partial<Cluster> & { adoptsPointer?: boolean; rebuild?: boolean; givesUp?: boolean };

/** One run, as `cathedral build` does it, of the data alone. `now`: the clock of the cluster, ms since 1970. */
export async function runMachine(
  { name, out, keyFile, ledger }: Machine,
  means: Means,
  now = () => NOW,
): Promise<BuildReport> {
  const claim = { service: BASE_URL, publisher: 'data.example.org' };
  const cluster: Cluster = { holder: name, waitMs: 60_000, switchDelayMs: 0, claim, ...means };
  const { database, objects } = cluster;
  await mkdir(out, { recursive: true });
  return clusterRun(cluster, {
    out,
    log: () => {},
    adoptsPointer: means.adoptsPointer ?? false,
    rebuild: means.rebuild ?? false,
    record: (run) => {
      const keep: Parameters<typeof recordRun>[0]['keep'] = (status) =>
        shareStatus(database, objects, claim, status, now());
      return recordRun({ out, software: 'test', now, keep }, run);
    },
    build: ({ records, share, signal }) =>
      build({
        ledger,
        out,
        verifiers: [signer.verifier],
        documents: 'data/documents',
        companions: null,
        baseUrl: BASE_URL,
        software: 'cathedral-data-service/test',
        plan: {
          purpose: 'publish',
          from: means.rebuild ? 'genesis' : 'current',
          contents: DATA_ONLY,
          publisher: { kind: 'signs', keyFile, now, records, givesUp: means.givesUp ?? false },
          snapshots: { days: 366 },
          share,
        },
        waitMs: 0,
        log: () => signal.throwIfAborted(),
      }),
    afterwards: async () => {},
  });
}
