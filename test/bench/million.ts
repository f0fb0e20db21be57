import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { type Measured, measure } from './child.ts';
import { below } from './scratch.ts';

export const MILLION = 1_000_000;

let ledger: Promise<string> | null = null;
let release: Promise<Built> | null = null;

interface Built {
  /** The folder with the release of its data files, and with its log. */
  folder: string;
  measured: Measured;
}

/**
 * A ledger of a million events, which several benchmarks read: writing it, and building its release, takes a minute. Both stay in the work
 * place until all of them have ended, and nothing is added to them.
 */
export function millionEvents(): Promise<string> {
  ledger ??= mkdtemp(join(tmpdir(), 'cathedral-bench-')).then(async (folder) => {
    await writeSample({ out: folder, to: '2026-10-01', seed: 1, events: MILLION });
    return folder;
  });
  return ledger;
}

/** Built from genesis on. */
export function releaseOfMillion(): Promise<Built> {
  release ??= mkdtemp(join(tmpdir(), 'cathedral-bench-')).then(async (folder) => {
    return { folder, measured: await measure('build', [await millionEvents(), folder, 'rebuild']) };
  });
  return release;
}

/** Copies of both that a benchmark may add to. */
export async function copyOfMillion(folder: string): Promise<{ ledger: string; out: string }> {
  const [copy, out] = below(folder, 'ledger', 'out');
  const options = { recursive: true, verbatimSymlinks: true, preserveTimestamps: true };
  await cp(await millionEvents(), copy, options);
  await cp((await releaseOfMillion()).folder, out, options);
  return { ledger: copy, out };
}
