import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatVerifierKey } from '../../../pipeline/ledger/notes/note.ts';
import { demoSigner } from '../../../pipeline/ledger/writing/demo-key.ts';
import { writeSample } from '../../../pipeline/sample/write-sample.ts';
import { build } from '../../build/run-build.ts';
import { runHere } from '../commands/seam.ts';

export interface Published {
  ledger: string;
  out: string;
  /** A file with the ledger's key. */
  key: string;
}

/** Publishes the data files of a demo ledger of two days and their log. */
export async function publish(folder: string): Promise<Published> {
  const [ledger, out, key] = ['ledger', 'out', 'key'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await writeSample({ out: ledger, from: '2025-12-30', to: '2026-01-02', seed: 1 });
  const { verifier } = demoSigner();
  await build({
    ledger,
    out,
    verifiers: [verifier],
    documents: 'data/documents',
    companions: 'data/keys/companions.json',
    baseUrl: 'https://data.example.org',
    software: 'cathedral-data-service/test',
    waitMs: 0,
    log: () => {},
  });
  await writeFile(key, `${formatVerifierKey(verifier)}\n`);
  return { ledger, out, key };
}

/** A command in this process. */
export function run(name: string, ...args: readonly string[]) {
  return runHere(name, args);
}
