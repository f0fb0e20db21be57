/** Compares a history with the log of OUT: `prove-row.ts FILE OUT`. */
import { createReadStream } from 'node:fs';
import { FolderOrigin } from '../../../pipeline/verify/folder-origin.ts';
import { openPublicLog } from '../../../pipeline/verify/rows/public-log.ts';
import { RowLog } from '../../../pipeline/verify/rows/row-log.ts';
import { verifyHistory } from '../../../pipeline/verify/rows/verify-history.ts';
import { report } from '../child.ts';
import { DEMO_VERIFIER } from '../demo-verifier.ts';

const [, , file = '', out = ''] = process.argv;

await report(async () => {
  const bytes = createReadStream(file, { highWaterMark: 1 << 20 });
  const origin = await FolderOrigin.at(out);
  const log = await RowLog.open(origin, [DEMO_VERIFIER]);
  const events = (await openPublicLog(log))!;
  const { verdict, findings } = await verifyHistory(bytes, events);
  if (verdict !== 'proved') throw new Error(`${verdict}: ${findings[0]?.message}`);
  return undefined;
});
