import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that is removed when this process ends, unless that is killed. */
export function workingFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cathedral-faults-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
