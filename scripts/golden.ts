/** `npm run golden`: writes test/golden/release anew. Look at what git then says has changed. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { GOLDEN_RELEASE, smallRelease } from '../test/golden-release.ts';

const files = await smallRelease();
await rm(GOLDEN_RELEASE, { recursive: true, force: true });
for (const [path, text] of Object.entries(files)) {
  const file = join(GOLDEN_RELEASE, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
