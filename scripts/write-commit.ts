// Writes the commit of this checkout to a file, for the package made from it.
import { writeFileSync } from 'node:fs';
import { PROJECT } from '../pipeline/config/project.ts';
import { commitOf, formatCommit } from '../src/commands/software.ts';

writeFileSync(process.argv[2]!, formatCommit(commitOf(PROJECT)));
