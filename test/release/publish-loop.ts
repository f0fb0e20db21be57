/**
 * `node publish-loop.ts OUT FIRST LAST [WAIT_MS]`: publishes a tiny release for each count of events, under
 * the lock, and prints each one's outcome. Run by tests that kill it, run two of it, or take the disk away
 * from it.
 */
import { withLock } from '../../pipeline/disk/lock.ts';
import { publishTiny } from './publish-tiny.ts';

const [out, first, last, waitMs = '0'] = process.argv.slice(2) as [string, string, string, string?];

console.log('begun');
try {
  for (let events = Number(first); events <= Number(last); events += 1) {
    const options = { waitMs: Number(waitMs), holder: `publish-loop, process ${process.pid}` };
    const { outcome } = await withLock(out, options, () => publishTiny(out, { events }));
    console.log(`${outcome} ${events}`);
  }
} catch (error) {
  const { code, place, message } = error as { code?: string; place?: string; message: string };
  console.log(JSON.stringify({ code, place, message }));
  process.exitCode = 1;
}
