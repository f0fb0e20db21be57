import { inTurns, measure, median } from './child.ts';
import { atLeast, type Figure } from './figure.ts';

const RUNS = 5;
const SECONDS = 3;
/** Time for the processes to open the log. */
const START_MS = 4_000;
const APPENDERS = 3;
/** Requests at once, of each server. */
const CALLERS = 32;

/** Entries that three servers add to the access log of a database, beside those of one server that is as busy as each of them. */
export async function appenders(store: string): Promise<Figure> {
  const found = await inTurns(RUNS, {
    one: () => entriesPerSecond(store, 1),
    three: () => entriesPerSecond(store, APPENDERS),
  });
  const what = 'three servers that write one access log, beside one server';
  return atLeast(what, median(found.three), median(found.one), 'entries/s', 0.9);
}

async function entriesPerSecond(store: string, processes: number): Promise<number> {
  const start = Date.now() + START_MS;
  const args = [store, CALLERS, start, SECONDS].map(String);
  const all = await Promise.all(
    Array.from({ length: processes }, () => measure('access-log-appender', args)),
  );
  return all.reduce((sum, { entriesPerSecond = 0 }) => sum + entriesPerSecond, 0);
}
