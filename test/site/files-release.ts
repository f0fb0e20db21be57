import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../../pipeline/build.ts';
import { type DraftFile, DraftManifest, type Manifest } from '../../pipeline/publish/manifest.ts';
import { demoSigner } from '../../pipeline/sample/demo-key.ts';
import { writeSample } from '../../pipeline/sample/write-sample.ts';

export interface FilesRelease extends AsyncDisposable {
  /** Where it is published, to be served. */
  out: string;
  /** The same as the site's build finds it: files of data and a draft manifest. */
  draft: string;
}

/** A small release over the turn of a year with every form of its tables, and without pages. */
export async function filesRelease(): Promise<FilesRelease> {
  const folder = await mkdtemp(join(tmpdir(), 'cathedral-files-'));
  const [ledger, out] = [join(folder, 'ledger'), join(folder, 'out')];
  await writeSample({ out: ledger, from: '2025-12-29', to: '2026-01-03', seed: 1 });
  const { manifest } = await build({
    ledger,
    out,
    verifiers: [demoSigner().verifier],
    documents: 'data/documents',
    companions: 'data/keys/companions.json',
    baseUrl: 'https://data.example.org',
    contact: 'contact@data.example.org',
    software: 'cathedral-data-service/test',
    rebuild: false,
    site: false,
    extras: true,
    print: null,
    waitMs: 0,
    log: () => {},
  });
  const release = join(out, 'releases', manifest.release);
  const draft = await mkdtemp(join(folder, 'draft-'));
  await writeFile(join(draft, 'manifest.json'), await draftOf(release));
  await symlink(join(release, 'public'), join(draft, 'public'));
  const dispose = () => rm(folder, { recursive: true, force: true });
  return { out, draft, [Symbol.asyncDispose]: dispose };
}

/** The draft that a release was made from: without what is known only when it is sealed. */
async function draftOf(release: string): Promise<string> {
  const manifest = JSON.parse(await readFile(join(release, 'manifest.json'), 'utf8')) as Manifest;
  const { timestamp, ledger, software, inputs } = manifest;
  const files: DraftFile[] = manifest.files.map(({ modified: _, ...file }) => file);
  const draft = { format: 'cathedral-draft/1', timestamp, ledger, software, inputs, files };
  return JSON.stringify(DraftManifest.parse(draft));
}
