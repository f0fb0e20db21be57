// Prints the test files that the changes since a commit touch, those that are not committed included.
// `node scripts/tests-of-changes.ts [COMMIT]`: by default since this branch left main.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { touchedTests } from '../test/setups/touched-tests.ts';

const since = process.argv[2] ?? git('merge-base', 'HEAD', 'main')[0]!;
const added = git('ls-files', '--others', '--exclude-standard');
const changed = [...git('diff', '--name-only', since), ...added];
const files = [...git('ls-files'), ...added].map((path): [string, string] => [path, textOf(path)]);
for (const test of touchedTests(new Map(files), changed)) console.log(test);

function git(...args: string[]): string[] {
  return execFileSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 26 })
    .split('\n')
    .filter(Boolean);
}

/** Empty where it is deleted. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
