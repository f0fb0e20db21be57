// Before `npm pack`: notes the commit of this checkout, lists what an installation consists of (SBOM, CycloneDX), and compiles the site, so that
// an installed service need not.
import { execFileSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SHIPPED, writeCompiled } from '../pipeline/build/site/compiled-site.ts';
import { programKey } from '../pipeline/build/site/make-program.ts';
import { PROJECT } from '../pipeline/config/project.ts';
import { COMMIT_OF_PACKAGE, commitOf, formatCommit } from '../pipeline/config/software.ts';

await writeFile(join(PROJECT, COMMIT_OF_PACKAGE), formatCommit(commitOf(PROJECT)));
// Of npm 10 and later. Only the lock counts, whatever is installed here.
const list = ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only'];
await writeFile(join(PROJECT, 'sbom.json'), execFileSync('npm', list, { cwd: PROJECT }));
await rm(SHIPPED, { recursive: true, force: true });
await writeCompiled(SHIPPED, programKey());
