import { CathedralError } from '../../../pipeline/errors.ts';
import type { PublicFile } from '../../../pipeline/release/format/public-manifest.ts';
import { measure } from '../../../pipeline/verify/origin.ts';
import type { SignedRelease } from '../../../pipeline/verify/signed-release.ts';
import { formatMoment } from '../../../pipeline/words/moment.ts';
import { formatBytes } from '../../../pipeline/words/number.ts';
import { formatList } from '../../../pipeline/words/phrase.ts';
import { NothingToCheck, type Steps } from '../layout/steps.ts';

/** How many files with the same content or name are listed. */
const MOST_LISTED = 5;
/** What browsers insert before the extension if the name is taken: ` (1)`. */
const COPY_NUMBER = / ?\(\d+\)(?=\.[^.]*$|$)/;

/** What a file is, in one sentence, by its hash; null: nothing that is known to be signed. */
export async function identifyFile(
  steps: Steps,
  file: File,
  { manifest }: SignedRelease,
): Promise<string | null> {
  const size = formatBytes(file.size);
  const sha256 = await steps.need('Hash', async () => {
    const value = await hashFile(file, (bytes) => steps.say(`Hashing: ${formatBytes(bytes)} of ${size} …`));
    return { words: `SHA-256 ${value}, ${size}, computed in this browser; the file was not sent.`, value };
  });
  const same = manifest.files.filter((one) => one.sha256 === sha256);
  const named = filesNamed(manifest.files, file.name);
  const found = await steps.attempt('In the release', async () => {
    if (same.length === 0) throw notListed(file, sha256, named);
    return { words: `The signed manifest has this hash for ${listOf(same)}.`, value: null };
  });
  return found && `This is ${listOf(same)} of ${manifest.release}, as of ${formatMoment(manifest.as_of)}.`;
}

/** SHA-256, hex. */
async function hashFile(file: File, progress: (bytes: number) => void): Promise<string> {
  return (await measure(chunksOf(file, progress))).sha256;
}

/** The bytes of a file as they are read. */
export async function* chunksOf(
  file: File,
  progress: (bytes: number) => void = () => {},
): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  let bytes = 0;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      yield next.value;
      bytes += next.value.length;
      progress(bytes);
    }
  } finally {
    await reader.cancel();
  }
}

/**
 * The files of a release that a download may be by its name: `supply (1).json` is `economy/supply`, which has no extension in
 * the release, and `mic-history.csv` is `economy/mic-history.csv`.
 */
function filesNamed(files: readonly PublicFile[], name: string): PublicFile[] {
  const plain = name.replace(COPY_NUMBER, '');
  const bare = plain.replace(/\.[^.]*$/, '');
  const called = (wanted: string) =>
    files.filter(({ path }) => path === wanted || path.endsWith(`/${wanted}`));
  const exact = called(plain);
  return exact.length > 0 ? exact : called(bare);
}

/** A file whose name the manifest lists contradicts it; about any other file the manifest says nothing. */
function notListed(file: File, sha256: string, named: readonly PublicFile[]): Error {
  const expected =
    named.length === 0
      ? 'a file of the release, by its hash or its name'
      : named
          .slice(0, MOST_LISTED)
          .map((one) => `SHA-256 ${one.sha256}, ${formatBytes(one.bytes)}, which is /${one.path}`)
          .join('; or ');
  const found = `SHA-256 ${sha256}, ${formatBytes(file.size)}`;
  const error = new CathedralError('mirror_mismatch', { place: file.name, expected, found });
  return named.length === 0 ? new NothingToCheck(error) : error;
}

function listOf(files: readonly PublicFile[]): string {
  const paths = files.slice(0, MOST_LISTED).map(({ path }) => `/${path}`);
  const others = files.length - paths.length;
  return formatList(others > 0 ? [...paths, `${others} more with the same content`] : paths);
}
