import { type CollectOptions, Collector, type FreshLink } from './collector.ts';
import { compareWithPast } from './compare-with-past.ts';
import { BEGINNING } from './known-events.ts';

/**
 * The newest events are read until ten minutes before the newest known one: the remote ledger orders by whole seconds,
 * and an event becomes visible some time after it was given its own.
 */
const OVERLAP_SECONDS = 600;
/** An event that arrives while pages are read can name a predecessor on a page that was read before; then they are read again. */
const MAX_PASSES = 3;

/**
 * The events that the remote ledger has and the local one has not, each with its predecessor in one of them, and the
 * Unix second up to which the past is audited. Throws `import_failed` where an event was changed or removed, or where the
 * predecessor of one is missing.
 */
export async function collectFresh(
  options: CollectOptions,
): Promise<{ fresh: FreshLink[]; audited: number }> {
  const collector = new Collector(options);
  const { newest, audited } = options.known;
  const recent = newest === null || options.full ? BEGINNING : newest - OVERLAP_SECONDS;
  await readRecent(collector, recent);
  const next = collector.hasReadAll ? audited : await compareWithPast(collector, recent, options);
  // An event of the past can name a predecessor that arrived since the newest ones were read, or that never was.
  if (!collector.isWhole) await readRecent(collector, recent);
  return { fresh: collector.fresh, audited: next };
}

async function readRecent(collector: Collector, recent: number): Promise<void> {
  for (let pass = 1; ; pass += 1) {
    const { missing } = await collector.read(0, recent);
    if (missing.length === 0 && collector.isWhole) return;
    if (pass === MAX_PASSES) throw collector.gap(missing);
  }
}
