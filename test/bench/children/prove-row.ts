/** Compares a history with the log of OUT: `prove-row.ts FILE OUT`. */
import { createReadStream } from 'node:fs';
import { FolderOrigin } from '../../../pipeline/verify/folder-origin.ts';
import { PublicLog } from '../../../pipeline/verify/rows/public-log.ts';
import { verifyHistory } from '../../../pipeline/verify/rows/verify-history.ts';
import { report } from '../child.ts';
import { DEMO_VERIFIER } from '../demo-verifier.ts';

const [, , file = '', out = ''] = process.argv;

await report(async () => {
  const bytes = createReadStream(file, { highWaterMark: 1 << 20 });
  const origin = await FolderOrigin.at(out);
  const log = await PublicLog.open(origin, [DEMO_VERIFIER]);
  const { verdict, findings } = await verifyHistory(bytes, log);
  if (verdict !== 'proved') throw new Error(`${verdict}: ${findings[0]?.message}`);
});
