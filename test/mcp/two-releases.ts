import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { demoSigner } from '../../pipeline/ledger/demo-key.ts';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { build } from '../build/run-build.ts';
import { madeOnce } from '../site/made-once.ts';

export const BASE_URL = 'https://data.example.org';
/** That of the first release. */
export const FIRST = '2025-12-31T00Z';

/**
 * What two runs published, with all files but the pages: the second one had three more days. `earlier` is the folder as it was before. All
 * tests share both, and leave them as they are.
 */
export function twoReleases(): Promise<{ out: string; earlier: string }> {
  return madeOnce('two-releases', async (folder) => {
    const [ledger, out, earlier] = ['ledger', 'out', 'earlier'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    const run = async (to: string, charts: boolean) => {
      await writeSample({ out: ledger, from: '2025-12-29', to, seed: 1 });
      await build({
        ...{ ledger, out, charts, extras: true },
        verifiers: [demoSigner().verifier],
        documents: 'data/documents',
        companions: 'data/keys/companions.json',
        baseUrl: BASE_URL,
        contact: 'contact@data.example.org',
        software: 'cathedral-data-service/test',
        publisher: {
          kind: 'signs',
          keyFile: join(folder, 'publisher.key'),
          name: 'test.example',
          now: Date.now,
        },
        snapshots: { days: 365 },
        waitMs: 0,
        log: () => {},
      });
    };
    await run('2025-12-31', false);
    await cp(out, earlier, { recursive: true, verbatimSymlinks: true });
    await run('2026-01-03', true);
    return { out, earlier };
  });
}
