import { CathedralError } from '../../pipeline/errors.ts';
import { expireEntries } from '../sidecar/access-log/expire-entries.ts';
import { exportAccessLog } from '../sidecar/access-log/export-access-log.ts';
import { verifyAccessLog } from '../sidecar/access-log/verify-access-log.ts';
import { type Command, defineCommand } from './command.ts';

const exportLog = defineCommand({
  summary: 'Prints who read restricted data in a period, oldest first, each entry with its hash.',
  settings: ['accessLog', 'logFrom', 'logTo', 'logFormat'],
  async run({ accessLog, logFrom, logTo, logFormat }, { now, write }) {
    const period = { from: logFrom ?? 0, to: logTo ?? now(), format: logFormat };
    assertForward(period);
    for await (const text of exportAccessLog(accessLog, period)) await write(text);
    return 0;
  },
});

const verify = defineCommand({
  summary: 'Reads the whole access log and says whether an entry was edited, removed or put elsewhere.',
  settings: ['accessLog', 'logHead', 'json'],
  async run({ accessLog, logHead, json }, { print }) {
    const verdict = verifyAccessLog(accessLog, logHead === null ? {} : { head: logHead });
    const { faults, entries, beginning, last } = verdict;
    if (json) print(JSON.stringify(verdict, null, 2));
    else {
      for (const { kind, file, seq, expected, found } of faults)
        print(
          `${file}${seq === null ? '' : `, entry ${seq}`}: ${kind}: expected ${expected}, found ${found}`,
        );
      if (beginning.seq >= 0) print(`Entries up to ${beginning.seq} were removed by age.`);
      for (const { first, last, at, before } of beginning.removals)
        print(`  ${first} to ${last}, at ${at}: those from before ${before}`);
      const judgement = faults.length === 0 ? 'The log is whole' : `${faults.length} faults`;
      print(`${judgement}: ${entries} entries. The last one is ${last.seq}, ${last.hash}`);
    }
    return faults.length === 0 ? 0 : 1;
  },
});

const expire = defineCommand({
  summary: 'Removes the entries of the access log that are older than a date; the rest still verifies.',
  settings: ['accessLog', 'logBefore'],
  async run({ accessLog, logBefore }, { now, print }) {
    const { removed, left } = await expireEntries(accessLog, requireDate(logBefore), now());
    print(removed ? `Removed: entries ${removed.first} to ${removed.last}.` : 'No entry is that old.');
    if (left > 0) print(`${left} older entries stand after a newer one, and go with it.`);
    return 0;
  },
});

/** An empty export would look as if nobody had asked for anything. */
function assertForward({ from, to }: { from: number; to: number }): void {
  if (from < to) return;
  const expected = `a time before the end, ${new Date(to).toISOString()}`;
  throw new CathedralError('usage', { place: '--from', expected, found: new Date(from).toISOString() });
}

/** Nothing is removed by a default. */
function requireDate(before: number | null): number {
  if (before !== null) return before;
  throw new CathedralError('usage', { place: '--before', expected: 'a date', found: 'no value' });
}

/** By name, as commands. */
export const ACCESS_LOG: Readonly<Record<string, Command>> = {
  'access-log export': exportLog,
  'access-log verify': verify,
  'access-log expire': expire,
};
