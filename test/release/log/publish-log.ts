import { readdirSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { prepareLog } from '../../../pipeline/build/extend-log.ts';
import type { LedgerPosition } from '../../../pipeline/ledger/leaf.ts';
import { CompactRange } from '../../../pipeline/ledger/merkle.ts';
import type { Facts } from '../../../pipeline/release/format/manifest.ts';
import type { Published } from '../../../pipeline/release/format/release.ts';
import { ORIGIN, signer } from '../../ledger/test-signer.ts';

/** What a release over the ledger up to here says of it. */
export function factsOf({ snapshot, size, range }: LedgerPosition): Facts['ledger'] {
  return { origin: ORIGIN, snapshot: snapshot!, size, root: CompactRange.resume(size, range).root() };
}

/** One run as far as the log is concerned; gives how often the release was committed. */
export async function publishLog(
  out: string,
  ledger: string,
  position: LedgerPosition,
  previous: LedgerPosition | null = null,
): Promise<number> {
  await mkdir(out, { recursive: true });
  let committed = 0;
  const release = previous && ({ manifest: { ledger: factsOf(previous) } } as Published);
  const options = { out, ledger, verifiers: [signer.verifier], log: () => {} };
  const extendLog = await prepareLog(options, release);
  await extendLog(factsOf(position), async () => {
    committed += 1;
  });
  return committed;
}

/** Every file below a folder, by its path, as base64. */
export function filesBelow(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    files.sort().map((file) => [file.slice(folder.length + 1), readFileSync(file, 'base64')]),
  );
}
