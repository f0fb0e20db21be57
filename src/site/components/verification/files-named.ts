import type { PublicFile } from '../../../../pipeline/release/format/public-manifest.ts';

/** What browsers put between a name and its ending where there is a file of that name: ` (1)`. */
const COPY = / ?\(\d+\)(?=\.[^.]*$|$)/;

/**
 * The files of a release that a downloaded file may be by its name: `supply (1).json` is `economy/supply`, whose name has
 * no ending here, and `mic-history.csv` is `economy/mic-history.csv`.
 */
export function filesNamed(files: readonly PublicFile[], name: string): PublicFile[] {
  const plain = name.replace(COPY, '');
  const bare = plain.replace(/\.[^.]*$/, '');
  const called = (wanted: string) =>
    files.filter(({ path }) => path === wanted || path.endsWith(`/${wanted}`));
  const exact = called(plain);
  return exact.length > 0 ? exact : called(bare);
}
