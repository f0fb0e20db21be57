import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readDocuments } from '../../pipeline/artifacts/documents.ts';
import { programKey } from '../../pipeline/build/site/make-program.ts';
import { makeSite } from '../../pipeline/build/site/make-site.ts';
import { paperHtml } from '../../pipeline/build/site/paper-html.ts';
import { type DraftManifest, sha256 } from '../../pipeline/release/format/manifest.ts';
import { signer } from '../ledger/test-signer.ts';
import type { TestLedger } from '../model/events.ts';
import { ORGANISATION } from '../organisation.ts';
import { BASE_URL, writeFixtureRelease } from './fixture-release.ts';
import { madeOnce } from './made-once.ts';

export interface Built {
  draft: DraftManifest;
  /** Staging folder with the data files and the program. */
  release: string;
  /** The pages. */
  out: string;
}

/** Of the ledger, as far as the pages know. They are not of the fixture's events. */
const CHECKPOINTS = ['2026-10-01T00Z', '2026-09-30T18Z', '2026-09-30T12Z'].map((snapshot, index) => ({
  origin: signer.verifier.name,
  size: 1000 - 10 * index,
  root: sha256(snapshot),
  snapshot,
}));

/** What is printed from the fixture's pages, where anything is. */
const PRINTED_FILES = ['government/transparency-2025.pdf', 'government/transparency.pdf'];

/** Where the release has what needs a key: a page that read it would not find it in its place. */
export const RESTRICTED_APART = 'apart';

/** The fixture release and the site over it, which all test files of a run share and must leave as they are. */
export function buildFixture(): Promise<Built> {
  return madeOnce('site', (folder) => build(folder, { prepare: putApart, printed: PRINTED_FILES }));
}

/** The site over a release of another ledger and other documents. `name` is unique to it. */
export function buildOver(name: string, ledger: TestLedger, documents?: string): Promise<Built> {
  return madeOnce(`site-${name}`, (folder) =>
    build(folder, { prepare: putApart, printed: ['government/transparency.pdf'], ledger, documents }),
  );
}

/** A build over a release that is damaged before. Throws what the build throws. */
export async function buildDamaged(damage: (release: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'cathedral-site-'));
  try {
    await build(folder, { prepare: damage, printed: PRINTED_FILES });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const putApart = (release: string) => rename(join(release, 'restricted'), join(release, RESTRICTED_APART));

interface FixtureOptions {
  prepare: (release: string) => Promise<void>;
  /** The PDFs that the pages may count on. */
  printed: readonly string[];
  /** Default: the fixture's. */
  ledger?: TestLedger;
  /** Folder of the documents that are published. Default: the service's. */
  documents?: string | undefined;
}

async function build(
  folder: string,
  { prepare, printed, ledger, documents }: FixtureOptions,
): Promise<Built> {
  const [release, out] = [join(folder, 'release'), join(folder, 'out')];
  const draft = await writeFixtureRelease(release, ledger, documents);
  await prepare(release);
  await writeSite({ release, out, printed });
  // What a page with old data asks its host for; a run adds it when the release is signed.
  await writeFile(join(out, 'latest.json'), '{}');
  return { draft, release, out };
}

/** Makes the site over a release that is a folder: the pages in `out`, the program in the release. */
export async function writeSite({
  release,
  out,
  printed,
}: {
  release: string;
  out: string;
  printed: readonly string[];
}): Promise<void> {
  const place = async (path: string, content: Uint8Array | string) => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content, { flag: 'wx' });
  };
  const papers = await paperHtml((await readDocuments('data/documents')).paperTexts);
  const facts = { baseUrl: BASE_URL, organisation: ORGANISATION, printed, checkpoints: CHECKPOINTS, papers };
  const scratch = await mkdtemp(join(tmpdir(), 'cathedral-compiler-'));
  try {
    await makeSite(
      { scratch, program: programKey(), facts, snapshots: null },
      {
        dir: release,
        previous: null,
        paths: () => [],
        write: ({ path, content }) => place(join(out, path), content),
        isSame: () => false,
        takeOver: async () => false,
        keepBytes: async (file, bytes) => {
          await place(join(release, file), bytes);
          return { bytes: bytes.length, sha256: sha256(bytes) };
        },
      },
    );
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
