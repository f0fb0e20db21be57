import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { demoSigner } from '../../pipeline/ledger/writing/demo-key.ts';
import type { Manifest } from '../../pipeline/release/format/manifest.ts';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { type BuildParts, build } from '../build/run-build.ts';

/** Two weeks over a turn of the year: each table that grows has rows in both years. */
const SPAN = { from: '2025-12-20', to: '2026-01-06', seed: 3 };

function smallOptions(folder: string, name: string): BuildParts {
  return {
    ledger: join(folder, 'ledger'),
    out: join(folder, name),
    verifiers: [demoSigner().verifier],
    documents: 'data/documents',
    companions: 'data/keys/companions.json',
    baseUrl: 'https://data.example.org',
    software: 'cathedral-data-service/test',
    rebuild: false,
    extras: true,
    site: false,
    print: null,
    waitMs: 0,
    log: () => {},
  };
}

/** A release with everything but pages, of the ledger in the same folder. */
export async function buildSmall(
  folder: string,
  name: string,
  more: Partial<BuildParts> = {},
): Promise<{ dir: string; manifest: Manifest }> {
  const options = { ...smallOptions(folder, name), ...more };
  const { manifest } = await build(options);
  return { dir: join(options.out, 'releases', manifest.release), manifest };
}

/** Writes the ledger of SPAN into a folder. */
export async function writeSmallLedger(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await writeSample({ out: join(folder, 'ledger'), ...SPAN });
}
