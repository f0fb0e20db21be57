// Writes data/demo-past.zip: the past of the demo ledger, which depends on its generator and its texts. A test compares the two.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PAST_ENDS, PAST_FILE, packPast } from '../pipeline/sample/shipped-past.ts';
import { writeSample } from '../pipeline/sample/write-sample.ts';

const out = await mkdtemp(join(tmpdir(), 'cathedral-past-'));
try {
  await writeSample({ out, to: PAST_ENDS });
  await writeFile(PAST_FILE, await packPast(out));
} finally {
  await rm(out, { recursive: true });
}
