/** Compares an export with the log of OUT: `verify-export.ts FILE OUT`. */
import { createReadStream } from 'node:fs';
import { LogEntries } from '../../../pipeline/verify/audit/log-entries.ts';
import { readExport } from '../../../pipeline/verify/audit/read-export.ts';
import { verifyExport } from '../../../pipeline/verify/audit/verify-export.ts';
import { FolderOrigin } from '../../../pipeline/verify/folder-origin.ts';
import { report } from '../child.ts';
import { DEMO_VERIFIER } from '../demo-verifier.ts';

const [, , file = '', out = ''] = process.argv;

await report(async () => {
  const bytes = createReadStream(file, { highWaterMark: 1 << 20 });
  const log = await LogEntries.open(await FolderOrigin.at(out, true), [DEMO_VERIFIER]);
  const unsaid = { from: undefined, to: undefined, wanted: null };
  const exported = (await readExport(bytes))!;
  const { faults, rows } = await verifyExport(exported, log, unsaid);
  if (faults.length > 0 || rows !== log.size) throw new Error(`${rows} rows, ${faults[0]?.message}`);
});
