import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { formatVerifierKey } from '../../../pipeline/ledger/notes/note.ts';
import { demoSigner } from '../../../pipeline/ledger/writing/demo-key.ts';
import { readCurrent } from '../../../pipeline/release/format/release.ts';
import { build } from '../../build/run-build.ts';
import { madeOnce } from '../../site/made-once.ts';
import { publisherKey } from '../commands/seam.ts';
import { command } from './seam.ts';

/** The publisher's clock, and that of all requests. */
export const NOW = Date.UTC(2026, 0, 3, 9);

export interface Published {
  ledger: string;
  out: string;
}

/** A release of a demo ledger with all that a release can have but PDFs, which a browser prints, and pages, which take long. */
export function publishedData(): Promise<Published> {
  return madeOnce('http', async (folder) => {
    const made = { ledger: await sampleLedger(), out: join(folder, 'out') };
    await publish(made, { site: false });
    // As if a witness had cosigned the checkpoint.
    await mkdir(join(made.out, 'log/cosigned'));
    await copyFile(join(made.out, 'log/checkpoint'), join(made.out, 'log/cosigned/1008'));
    return made;
  });
}

export interface PublishedPages extends Published {
  /** The paths of the release that the last run continued. */
  before: string[];
}

/** The same with pages, published by two runs. */
export function publishedPages(): Promise<PublishedPages> {
  return madeOnce('http-pages', async (folder) => {
    const made = { ledger: await sampleLedger(), out: join(folder, 'out') };
    await publish(made, { site: true, until: '2026-01-01T12Z' });
    const { files } = (await readCurrent(made.out))!.manifest;
    await publish(made, { site: true });
    return { ...made, before: files.map(({ path }) => path) };
  });
}

async function sampleLedger(): Promise<string> {
  const { ledger } = await madeOnce('http-ledger', async (folder) => {
    const ledger = join(folder, 'ledger');
    const days = ['--from', '2025-12-29', '--to', '2026-01-03'];
    await command('sample', ['--ledger', ledger, ...days, '--seed', '1']);
    return { ledger };
  });
  return ledger;
}

async function publish(
  { ledger, out }: Published,
  { site, until }: { site: boolean; until?: string },
): Promise<void> {
  await build({
    ...{ ledger, out, site, charts: true, extras: true, ...(until && { until }) },
    verifiers: [demoSigner().verifier],
    documents: 'data/documents',
    companions: 'data/keys/companions.json',
    baseUrl: 'https://data.example.org',
    software: 'cathedral-data-service/test',
    publisher: {
      ...{ kind: 'signs', keyFile: publisherKey(out), now: () => NOW },
      // As if a server on this machine signed heads of its access log.
      ...(!site && { accessLogKeys: [formatVerifierKey(demoSigner().verifier)] }),
    },
    snapshots: { days: 366 },
    waitMs: 0,
    log: () => {},
  });
}
