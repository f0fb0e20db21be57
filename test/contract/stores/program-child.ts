import { writeSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openStores } from './seam.ts';

/**
 * As a process of its own: uses every store at a place without end, and writes what was acknowledged, a line of JSON each, until it is killed.
 * Arguments: the place, and the number of the program; and a number of requests, where it is only to count these and to end.
 */
const [place, program] = [process.argv[2]!, Number(process.argv[3])];
const toCount = Number(process.argv[4] ?? 0);
const stores = await openStores(place);
const { keys, counts, log } = stores;

for (let at = 0; at < toCount; at += 1) {
  acknowledge(JSON.stringify(await counts.take({ holder: 'h_all' }, 400)));
  await nextTurn();
}
if (toCount > 0) process.exit();

async function forever(what: string, work: (at: number) => Promise<unknown>): Promise<never> {
  for (let at = 0; ; at += 1) {
    acknowledge(JSON.stringify([what, await work(at)]));
    // A store in a file answers before the others had a turn.
    await nextTurn();
  }
}

/** Written when it returns; a pipe that is full for a moment is tried again. */
function acknowledge(line: string): void {
  for (;;) {
    try {
      writeSync(1, `${line}\n`);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}

const applicant = {
  tier: 'economist' as const,
  name: 'A. Quill',
  affiliation: 'Institute of Measures',
  purpose: 'A paper on minting',
  volume: '500 requests a day',
  basis: 'staff page',
  deliver: 'print' as const,
};

const issued: string[] = [];
const work = [
  forever('issued', async (at) => {
    const { key, id } = await keys.issue({ ...applicant, email: `a${program}.${at}@institute.example` });
    issued.push(id);
    return key;
  }),
  forever('revoked', async () => {
    while (issued.length < 2) await nextTurn();
    const id = issued.shift()!;
    await keys.revoke(id);
    return id;
  }),
  forever('counted', () => counts.take({ holder: 'h_all' }, 1_000_000)),
  ...Array.from({ length: 4 }, (_, lane) =>
    forever('logged', async (at) => {
      const requestId = `${program}-${lane}-${at}`;
      await log.append({
        time: Date.now(),
        requestId,
        keyId: null,
        holder: null,
        area: 'government',
        method: 'GET',
        path: '/government/ledger/export',
        query: '',
        status: 200,
        client: '203.0.113.7',
      });
      return requestId;
    }),
  ),
  stores.hold({ waitMs: 60_000, lengthMs: 600 }, async (lease) => {
    const last = await stores.publisher(lease).last();
    const size = (last?.ledger.size ?? 0) + 1;
    return forever('signed', async (at) => (await stores.publisher(lease).sign(size + at)).version);
  }),
];
await Promise.all(work);
