import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** In memory where there is such a place: what a disk keeps is counted here, and a real flush would only take time. */
const BASE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** A folder that is removed when this process ends, unless that is killed. */
export function workingFolder(): string {
  const folder = mkdtempSync(join(BASE, 'cathedral-faults-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
