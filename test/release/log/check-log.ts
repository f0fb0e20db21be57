import {
  checkEntries,
  findingsOf,
  oncePerPlace,
  unsignedManifest,
} from '../../../pipeline/build/check-release.ts';
import type { Finding } from '../../../pipeline/errors.ts';
import type { Verifier } from '../../../pipeline/ledger/notes/note.ts';
import type { Facts } from '../../../pipeline/release/format/manifest.ts';

/** The log of OUT with its restricted entries, compared with the ledger that its release was made from, and without that release. */
export async function checkLog(
  out: string,
  ledger: Facts['ledger'],
  verifiers: readonly Verifier[],
): Promise<Finding[]> {
  const unsigned = unsignedManifest({ release: '', ledger, timestamp: '', files: [] });
  const trust = { keys: null, ledgerKeys: verifiers.length > 0 ? verifiers : null, unsigned };
  const findings = await findingsOf(out, trust, ['signature', 'log'], () => {});
  return oncePerPlace([...findings, ...(await checkEntries(out, ledger))]);
}
