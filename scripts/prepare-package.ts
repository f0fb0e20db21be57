// Before `npm pack`: notes the commit of this checkout, lists what an installation consists of (SBOM, CycloneDX), and compiles the site, so that
// an installed service need not.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SHIPPED, writeCompiled } from '../pipeline/build/site/compiled-site.ts';
import { programKey } from '../pipeline/build/site/make-program.ts';
import { PROJECT } from '../pipeline/config/project.ts';
import { COMMIT_OF_PACKAGE, commitOf, formatCommit } from '../pipeline/config/software.ts';
import { listInstalled } from './list-installed.ts';

const sbom = await listInstalled();
if (sbom === null) {
  console.error('npm pack needs npm 10 or later, since npm sbom lists what an installation consists of.');
  process.exit(1);
}
await writeFile(join(PROJECT, 'sbom.json'), sbom);
await writeFile(join(PROJECT, COMMIT_OF_PACKAGE), formatCommit(commitOf(PROJECT)));
await rm(SHIPPED, { recursive: true, force: true });
await writeCompiled(SHIPPED, programKey());
