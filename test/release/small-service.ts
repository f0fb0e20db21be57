import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BuildReport } from '../../pipeline/build/build.ts';
import { type BuildParts, build } from '../build/run-build.ts';
import { signer, writeLedger } from '../ledger/test-ledger.ts';

export const BASE_URL = 'https://data.example.org';
export const NOW = Date.parse('2026-01-02T03:04:05Z');

/** A ledger, a folder of releases and a publisher's keys, all below one folder. */
export interface SmallService {
  ledger: string;
  out: string;
  keyFile: string;
  /** Makes the ledger anew with a snapshot of each of these numbers of events: the same beginning for the same numbers. */
  seal(...counts: number[]): Promise<void>;
  /** By keys in another file. */
  signsWith(keyFile: string, now?: number): NonNullable<BuildParts['publisher']>;
  options(more?: Partial<BuildParts>): BuildParts;
  publish(more?: Partial<BuildParts>): Promise<BuildReport>;
}

export function smallService(folder: string): SmallService {
  const ledger = join(folder, 'ledger');
  const out = join(folder, 'out');
  const keyFile = join(folder, 'keys/publisher.key');
  const signsWith = (file: string, now = NOW) =>
    ({ kind: 'signs', keyFile: file, name: 'data.example.org', now: () => now }) as const;
  const options = (more: Partial<BuildParts> = {}): BuildParts => ({
    ledger,
    out,
    verifiers: [signer.verifier],
    documents: 'test/contract/release/own.documents',
    companions: null,
    baseUrl: BASE_URL,
    software: 'cathedral-data-service/test',
    rebuild: false,
    site: false,
    print: null,
    publisher: signsWith(keyFile),
    waitMs: 0,
    log: () => {},
    ...more,
  });
  return {
    ledger,
    out,
    keyFile,
    signsWith,
    options,
    async seal(...counts) {
      await rm(ledger, { recursive: true, force: true });
      await mkdir(ledger, { recursive: true });
      await writeLedger(ledger, ...counts);
    },
    publish: (more) => build(options(more)),
  };
}
