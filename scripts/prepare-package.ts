// Notes the commit of this checkout, for the package made from it (npm pack).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../pipeline/config/project.ts';
import { COMMIT_OF_PACKAGE, commitOf, formatCommit } from '../src/commands/software.ts';

writeFileSync(join(PROJECT, COMMIT_OF_PACKAGE), formatCommit(commitOf(PROJECT)));
