/** `npm run golden`: rewrites test/golden/release. Review the changes that git then shows. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { GOLDEN_RELEASE, smallRelease } from '../test/golden-release.ts';

const { files } = await smallRelease();
await rm(GOLDEN_RELEASE, { recursive: true, force: true });
for (const [path, text] of Object.entries(files)) {
  const file = join(GOLDEN_RELEASE, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
