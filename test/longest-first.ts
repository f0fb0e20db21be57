import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * What takes longest, before all others: begun last, the one worker would wait for the other's. The two that begin do not wait
 * for each other either: one makes the site that most of the others look at.
 */
const LONGEST = [
  'site/browser',
  'faults/faults',
  'build/unchanged-files',
  'build/cluster-run',
  'build/build',
  'cli/start',
  'cluster/cluster',
  'site/verification-browser',
  'cli/build',
  'site/explore-browser',
  'site/explorer',
  'charts/files/render-charts',
  'build/snapshots/interrupted-snapshots',
  'release/interrupted-runs',
].map((name) => join(import.meta.dirname, `${name}.test.ts`));

/** The order without a cache of durations, as in a new clone, is that of the files' sizes: a long sweep is a short file. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const gone = LONGEST.filter((file) => !existsSync(file));
    if (gone.length > 0)
      throw new Error(`${import.meta.filename} names what is not there: ${gone.join(', ')}`);
    const place = ({ moduleId }: TestSpecification) => {
      const found = LONGEST.indexOf(moduleId);
      return found < 0 ? LONGEST.length : found;
    };
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}
