import type { Entry } from '../../../src/sidecar/access-log/entry.ts';
import { exportAccessLog } from '../../../src/sidecar/access-log/export-access-log.ts';
import type { LogReader } from '../../../src/sidecar/access-log/log-reader.ts';

export async function entriesOf(reader: LogReader): Promise<Entry[]> {
  const period = { from: -Infinity, to: Infinity, format: 'ndjson' } as const;
  const text = (await Array.fromAsync(exportAccessLog(reader, period))).join('');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
