import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../release/temporary-folder.ts';

test('a package is made by an npm that can list what an installation has, and not without that list', async () => {
  const folder = await temporaryFolder();
  // What npm 9 of Debian does.
  const npm = '#!/bin/sh\necho \'Unknown command: "sbom"\'\n';
  await writeFile(join(folder, 'npm'), npm, { mode: 0o755 });
  const { status, stderr } = spawnSync(process.execPath, [resolve('scripts/prepare-package.ts')], {
    encoding: 'utf8',
    env: { PATH: [folder, process.env.PATH].join(delimiter) },
  });
  expect(stderr).toBe(
    'npm pack needs npm 10 or later, since npm sbom lists what an installation consists of.\n',
  );
  expect(status).toBe(1);
});
