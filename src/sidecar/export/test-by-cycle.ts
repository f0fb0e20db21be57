import { type Filter, narrow } from '../../api/query/filter.ts';
import { type RowTest, rowTest } from './row-test.ts';

/** Far more than a segment has, and few enough to be kept. */
const MAX_KNOWN = 1000;

/** The test that a filter is for rows of a cycle; true or false where nothing is left to test. */
export function testByCycle(filter: Filter): (cycle: string) => RowTest | boolean {
  const known = new Map<string, RowTest | boolean>();
  return (cycle) => {
    const found = known.get(cycle);
    if (found !== undefined) return found;
    const narrowed = narrow(filter, cycle);
    const test = typeof narrowed === 'boolean' ? narrowed : rowTest(narrowed);
    if (known.size === MAX_KNOWN) known.clear();
    known.set(cycle, test);
    return test;
  };
}
