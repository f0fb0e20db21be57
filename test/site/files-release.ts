import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { demoSigner } from '../../pipeline/ledger/writing/demo-key.ts';
import { type DraftFile, DraftManifest, type Manifest } from '../../pipeline/release/format/manifest.ts';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { build } from '../build/run-build.ts';
import { type Built, writeSite } from './build-fixture.ts';
import { BASE_URL } from './fixture-release.ts';
import { madeOnce } from './made-once.ts';

export interface FilesRelease {
  /** Where it is published, to be served. */
  out: string;
  /** The same as a site's build finds it: files of data and a draft manifest. */
  draft: string;
}

/** A small release over the turn of a year with every form of its tables, and without pages; test files share it. */
export function filesRelease(): Promise<FilesRelease> {
  return madeOnce('files-release', makeRelease);
}

/** The PDF that the pages over it count on. */
const PRINTED_FILE = 'government/transparency.pdf';

/** The pages over it. */
export function filesSite(): Promise<Built> {
  return siteOver('files-site', [PRINTED_FILE]);
}

/** The same without a printer. */
export function unprintedSite(): Promise<Built> {
  return siteOver('files-site-unprinted', []);
}

async function siteOver(name: string, printed: readonly string[]): Promise<Built> {
  const { draft: of } = await filesRelease();
  return madeOnce(name, async (folder) => {
    const [release, out] = [join(folder, 'release'), join(folder, 'out')];
    await mkdir(release);
    await symlink(join(of, 'public'), join(release, 'public'));
    const text = await readFile(join(of, 'manifest.json'), 'utf8');
    await writeFile(join(release, 'manifest.json'), text);
    const draft = DraftManifest.parse(JSON.parse(text));
    await writeSite({ release, out, printed });
    return { draft, release, out };
  });
}

async function makeRelease(folder: string): Promise<FilesRelease> {
  const [ledger, out] = [join(folder, 'ledger'), join(folder, 'out')];
  await writeSample({ out: ledger, from: '2025-12-29', to: '2026-01-03', seed: 1 });
  const { manifest } = await build({
    ledger,
    out,
    verifiers: [demoSigner().verifier],
    documents: 'data/documents',
    companions: 'data/keys/companions.json',
    baseUrl: BASE_URL,
    software: 'cathedral-data-service/test',
    rebuild: false,
    site: false,
    extras: true,
    print: null,
    snapshots: { days: 366 },
    waitMs: 0,
    log: () => {},
  });
  const release = join(out, 'releases', manifest.release);
  const draft = join(folder, 'draft');
  await mkdir(draft);
  await writeFile(join(draft, 'manifest.json'), await draftOf(release));
  await symlink(join(release, 'public'), join(draft, 'public'));
  return { out, draft };
}

/** The draft that a release was made from: without what is known only when it is sealed. */
async function draftOf(release: string): Promise<string> {
  const manifest = JSON.parse(await readFile(join(release, 'manifest.json'), 'utf8')) as Manifest;
  const { timestamp, ledger, software, inputs } = manifest;
  const files: DraftFile[] = manifest.files.map(({ modified: _, ...file }) => file);
  const draft = { format: 'cathedral-draft/1', timestamp, ledger, software, inputs, files };
  return JSON.stringify(DraftManifest.parse(draft));
}
