import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BuildOptions, build } from './build.ts';
import { CathedralError } from './errors.ts';
import { compareManifests } from './publish/compare-manifests.ts';
import type { ManifestFile } from './publish/manifest.ts';
import { readCurrent } from './publish/release.ts';
import { type Problem, verifyRelease } from './publish/verify-release.ts';

/** What a check needs of a build's options; without a ledger only the release itself is checked. */
export interface CheckOptions extends Omit<BuildOptions, 'ledger' | 'rebuild' | 'until' | 'site' | 'pdf'> {
  ledger: string | null;
}

/**
 * Compares what is published with its manifest, byte for byte, and then with what the ledger gives when everything is
 * made again from genesis, up to the release's snapshot. A PDF depends on the browser that printed it: of PDFs only the
 * bytes are checked, their numbers stand in the JSON file beside them, which is made again.
 */
export async function check(options: CheckOptions): Promise<Problem[]> {
  const { out, ledger, log } = options;
  const dir = await realpath(join(out, 'current')).catch((cause) => {
    throw new CathedralError('release_invalid', {
      place: out,
      expected: 'a published release',
      found: 'none',
      cause,
    });
  });
  log(`checking every byte of ${dir}`);
  const problems = await verifyRelease(dir);
  if (problems.length > 0 || ledger === null) return problems;
  return compareWithLedger({ ...options, ledger });
}

async function compareWithLedger(
  options: Omit<BuildOptions, 'rebuild' | 'site' | 'pdf'>,
): Promise<Problem[]> {
  const published = (await readCurrent(options.out))!.manifest;
  const out = await mkdtemp(join(tmpdir(), 'cathedral-check-'));
  const site = published.files.some(({ kind }) => kind === 'page');
  try {
    options.log(`building again from the ledger, up to ${published.ledger.snapshot}`);
    const until = published.ledger.snapshot;
    const rebuilt = await build({ ...options, out, until, site, pdf: false, rebuild: true });
    return compareManifests(published, rebuilt.manifest, { skip: isPrinted });
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

function isPrinted({ media_type }: ManifestFile): boolean {
  return media_type === 'application/pdf';
}
