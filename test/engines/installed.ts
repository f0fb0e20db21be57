import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Starting a program to ask for its version takes longer than most tests. */
export function isInstalled(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
}

/** Before a command line: the program also ends when the process of the tests is killed, where the system can do that. */
export const ENDING = isInstalled('setpriv') ? ['setpriv', '--pdeathsig', 'KILL'] : [];
