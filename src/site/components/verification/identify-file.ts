import { CathedralError } from '../../../../pipeline/errors.ts';
import type { PublicFile } from '../../../../pipeline/release/format/public-manifest.ts';
import { formatMoment } from '../../../../pipeline/words/moment.ts';
import { formatBytes } from '../../../../pipeline/words/number.ts';
import { formatList } from '../../../../pipeline/words/phrase.ts';
import { filesNamed } from './files-named.ts';
import { findInSnapshots } from './find-in-snapshots.ts';
import { hashFile } from './hash-file.ts';
import { NothingToCheck, type Steps } from './steps.ts';
import type { Means, VerifiedRelease } from './verify-release.ts';

/** How many files of one content or name are told of. */
const MOST_TOLD = 5;

/** What a file is, in one sentence; null: nothing that is known to be signed. */
export type Identified = string | null;

/** Looks a file up in a release by its hash, and where it is not of that one, among the snapshots. */
export async function identifyFile(
  steps: Steps,
  file: File,
  release: VerifiedRelease,
  means: Pick<Means, 'origin' | 'wait'>,
): Promise<Identified> {
  const sha256 = await steps.need('Hash', async () => {
    const value = await hashFile(file, (bytes) =>
      steps.say(`Hashing: ${formatBytes(bytes)} of ${formatBytes(file.size)} …`),
    );
    return {
      words: `SHA-256 ${value}, ${formatBytes(file.size)}, computed here; the file went nowhere.`,
      value,
    };
  });
  const { manifest } = release;
  const same = manifest.files.filter((one) => one.sha256 === sha256);
  const named = filesNamed(manifest.files, file.name);
  const inRelease = await steps.attempt('In the release', async () => {
    if (same.length === 0) throw notListed(file, sha256, named);
    return { words: `The signed manifest has this hash for ${listOf(same)}.`, value: null };
  });
  if (inRelease)
    return `This is ${listOf(same)} of ${manifest.release}, as of ${formatMoment(manifest.as_of)}.`;
  const wanted = { sha256, savedAt: file.lastModified, isNamed: named.length > 0 };
  const found = await findInSnapshots(steps, wanted, release, means);
  return found && `This is /${found.path} of the snapshot ${found.id}, as of ${formatMoment(found.asOf)}.`;
}

/** A file whose name the manifest has differs from it; of another one the manifest says nothing, true or false. */
function notListed(file: File, sha256: string, named: readonly PublicFile[]): Error {
  const expected =
    named.length === 0
      ? 'a file of the release, by its hash or its name'
      : named
          .slice(0, MOST_TOLD)
          .map((one) => `SHA-256 ${one.sha256}, ${formatBytes(one.bytes)}, which is /${one.path}`)
          .join('; or ');
  const found = `SHA-256 ${sha256}, ${formatBytes(file.size)}`;
  const fault = new CathedralError('mirror_mismatch', { place: file.name, expected, found });
  return named.length === 0 ? new NothingToCheck(fault) : fault;
}

function listOf(files: readonly PublicFile[]): string {
  const told = files.slice(0, MOST_TOLD).map(({ path }) => `/${path}`);
  const others = files.length - told.length;
  return formatList(others > 0 ? [...told, `${others} more with the same content`] : told);
}
