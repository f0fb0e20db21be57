import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatEventLine } from '../../pipeline/ledger/events/event-line.ts';
import { CompactRange, leafHash } from '../../pipeline/ledger/log/merkle.ts';
import { formatCheckpoint } from '../../pipeline/ledger/notes/checkpoint.ts';
import { DEMO_ORIGIN } from '../../pipeline/ledger/writing/demo-key.ts';
import { sampleEvents } from '../../pipeline/sample/sample-events.ts';
import { PAST_ENDS, PAST_FILE, packPast, unpackPast } from '../../pipeline/sample/shipped-past.ts';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { sweep } from '../setups/sweep.ts';

/** After a change of the generator or of data/sample, `node scripts/demo-past.ts` writes it again. */
test('the past that is shipped has the events that the generator makes, in the snapshots of their slots', async () => {
  const ledger = join(await temporaryFolder(), 'ledger');
  const count = await unpackPast(ledger);
  const tree = new CompactRange();
  const ids: string[] = [];
  for (const { id, events, isOver } of sampleEvents({ to: PAST_ENDS })) {
    expect(isOver).toBe(true);
    for (const event of events) tree.append(leafHash(Buffer.from(formatEventLine(event))));
    ids.push(id);
  }
  const files = ids.flatMap((id) => [`${id}.checkpoint`, `${id}.ndjson.zst`]);
  expect([count, await readdir(join(ledger, 'snapshots'))]).toEqual([
    ids.length,
    expect.arrayContaining(files),
  ]);
  // Its root is the hash of all lines.
  const signed = await readFile(join(ledger, 'snapshots', `${ids.at(-1)}.checkpoint`), 'utf8');
  const last = formatCheckpoint({ origin: DEMO_ORIGIN, size: tree.size, root: tree.root() });
  expect(signed.startsWith(`${last}\n`)).toBe(true);
});

sweep('the past that is shipped is the file that its script writes', async () => {
  const ledger = join(await temporaryFolder(), 'ledger');
  await writeSample({ out: ledger, to: PAST_ENDS });
  expect(Buffer.from(await packPast(ledger)).equals(await readFile(PAST_FILE))).toBe(true);
});
