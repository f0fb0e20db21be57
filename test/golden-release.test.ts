import { expect, test } from 'vitest';
import { GOLDEN_RELEASE, readTree, smallRelease } from './golden-release.ts';

/**
 * Paths, columns, members, their order and the form of numbers are a promise to readers. A change is made on purpose:
 * `npm run golden` writes the folder anew, and the commit that has it has a line in the changelog.
 */
test('a release has the files and the bytes of the golden folder, no more and no fewer', async () => {
  const [release, golden] = [await smallRelease(), await readTree(GOLDEN_RELEASE, '.')];
  expect(Object.keys(release)).toEqual(Object.keys(golden));
  for (const [path, text] of Object.entries(release)) expect(text, path).toBe(golden[path]);
});
