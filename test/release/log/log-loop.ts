/** `node log-loop.ts OUT LEDGER`: extends a log to each snapshot of a ledger in turn. Run by a test that kills it. */

import { LEDGER_START, type LedgerPosition } from '../../../pipeline/ledger/log/leaf.ts';
import { openDirectory } from '../../../pipeline/ledger/reading/directory.ts';
import { readSnapshot } from '../../../pipeline/ledger/reading/read-snapshot.ts';
import { openLog } from '../../../pipeline/release/log/open-log.ts';
import { signer } from '../../ledger/test-signer.ts';
import { publishLog } from './publish-log.ts';

const [out, ledger] = process.argv.slice(2) as [string, string];

const { edge } = await openLog(out);
let position: LedgerPosition = LEDGER_START;
for (const file of await openDirectory(ledger).snapshots(null)) {
  const batches = readSnapshot(file, position, [signer.verifier]);
  let next = await batches.next();
  while (!next.done) next = await batches.next();
  position = next.value;
  if (position.size <= edge.size) continue;
  await publishLog(out, ledger, position);
  console.log(`published ${position.size}`);
}
