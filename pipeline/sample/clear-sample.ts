import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CathedralError } from '../errors.ts';
import { DEMO_ORIGIN } from '../ledger/demo-key.ts';

const LEDGER_ENTRIES = ['snapshots', 'head.ndjson', 'head.ndjson.tmp'];
const CHECKPOINT = '.checkpoint';

/**
 * Makes `out` an empty folder, if need be by deleting a sample ledger in it. Throws `usage` where there is anything
 * that is no ledger, or one whose checkpoints are not the sample's: that one cannot be made again.
 */
export async function clearSample(out: string): Promise<void> {
  const entries = await entriesOf(out);
  const foreign = entries.find((name) => !LEDGER_ENTRIES.includes(name));
  if (foreign !== undefined) throw notASample(out, foreign);
  if (entries.length > 0) await assertSample(out);
  for (const name of entries) await rm(join(out, name), { recursive: true });
  await mkdir(join(out, 'snapshots'), { recursive: true });
}

async function entriesOf(folder: string): Promise<string[]> {
  return readdir(folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return [];
    throw new CathedralError('usage', { place: folder, expected: 'a folder', found: `${cause.code}`, cause });
  });
}

async function assertSample(out: string): Promise<void> {
  const folder = join(out, 'snapshots');
  const checkpoints = (await entriesOf(folder)).filter((name) => name.endsWith(CHECKPOINT));
  const newest = checkpoints.sort().at(-1);
  if (newest === undefined) return assertBegun(out);
  const origin = (await readFile(join(folder, newest), 'utf8')).split('\n', 1)[0];
  if (origin !== DEMO_ORIGIN) throw notASample(out, `a ledger of origin ${origin}`);
}

/** Without a checkpoint there is no origin to look at: only what a killed run leaves behind may be there. */
async function assertBegun(out: string): Promise<void> {
  const head = await readFile(join(out, 'head.ndjson'), 'utf8').catch(() => '');
  if (head !== '') throw notASample(out, 'a head without snapshots');
}

function notASample(place: string, found: string): CathedralError {
  return new CathedralError('usage', {
    place,
    expected: 'an empty folder, or a sample ledger to replace',
    found,
  });
}
