import { expect, test } from 'vitest';
import { HISTORIES } from '../pipeline/artifacts/table.ts';
import { STATE_VERSION } from '../pipeline/model/state.ts';
import { sha256 } from '../pipeline/release/format/manifest.ts';
import { GOLDEN_RELEASE, readTree, smallRelease } from './golden-release.ts';

let release: ReturnType<typeof smallRelease> | undefined;
const made = () => (release ??= smallRelease());

/**
 * Paths, columns, members, their order and the form of numbers are a promise to readers. A change is made on purpose:
 * `npm run golden` writes the folder anew, and the commit that has it has a line in the changelog.
 */
test('a release has the files and the bytes of the golden folder, no more and no fewer', async () => {
  const [release, golden] = [(await made()).files, await readTree(GOLDEN_RELEASE, '.')];
  expect(Object.keys(release)).toEqual(Object.keys(golden));
  for (const [path, text] of Object.entries(release)) expect(text, path).toBe(golden[path]);
});

/**
 * A run resumes from the state, the rows and the days that an earlier version wrote. If this version writes others, its runs have to rebuild, which
 * a higher STATE_VERSION makes them do. Only a change of the demo ledger itself changes the digest and not the number.
 */
test('what a run resumes from is as it was when STATE_VERSION was last raised', async () => {
  const { files, state } = await made();
  const rows = HISTORIES.map(({ path }) => files[`public/${path}`] ?? '');
  const segments = Object.keys(files).filter((path) => /^(segments|public\/events\/days)\//.test(path));
  const texts = [state, ...rows, ...segments.map((path) => files[path]!)];
  expect([STATE_VERSION, sha256(texts.map(sha256).join())]).toEqual([
    1,
    'b70990147e1084e88e53d8e9efbdbbcf0d1099459905b27a56050c60f6c2ad58',
  ]);
});
