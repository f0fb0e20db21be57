/** Extends a log to the newest snapshot of its ledger, without a release: `log-extend.ts LEDGER OUT`. */

import { prepareLog } from '../../../pipeline/build/extend-log.ts';
import { openDirectory } from '../../../pipeline/ledger/reading/directory.ts';
import { readCheckpoint } from '../../../pipeline/ledger/reading/read-checkpoint.ts';
import { report } from '../child.ts';
import { DEMO_VERIFIER } from '../demo-verifier.ts';

const [, , ledger, out] = process.argv;
const verifiers = [DEMO_VERIFIER];

await report(async () => {
  const directory = openDirectory(ledger!);
  const newest = (await directory.snapshots(null)).at(-1)!;
  const { checkpoint } = readCheckpoint(newest, verifiers);
  await using runLog = await prepareLog({ ledger: directory, out: out!, verifiers, log: () => {} }, null);
  await runLog.extend({ snapshot: newest.id, ...checkpoint }, async () => {});
});
