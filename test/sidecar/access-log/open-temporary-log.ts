import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { AccessLog } from '../../../src/sidecar/access-log/access-log.ts';
import {
  type FolderLogOptions,
  openFolderAccessLog,
} from '../../../src/sidecar/access-log/folder-access-log.ts';
import { LastingWriter } from '../../../src/sidecar/access-log/lasting-writer.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';
import { sampleAccess } from './sample-access.ts';

/** Full after some hundred entries. */
export const SMALL_FILE = 64 * 1024;

export interface TemporaryLog {
  dir: string;
  log: AccessLog;
}

/** A log whose writer is in this thread: to start one takes longer than most tests. */
export function openLogHere(options: FolderLogOptions): AccessLog {
  return openFolderAccessLog(options, (own) => {
    const writer = new LastingWriter(own);
    return { send: async (request) => writer.handle(request) };
  });
}

/** A log of the test's own, closed when the test ends. Rejects where it cannot be written. `open`: with a thread, like a server. */
export async function openTemporaryLog(
  options: Partial<FolderLogOptions> = {},
  open: (options: FolderLogOptions) => AccessLog = openLogHere,
): Promise<TemporaryLog> {
  const dir = options.dir ?? join(await temporaryFolder(), 'access-log');
  const log = open({ waitMs: 0, ...options, dir });
  let isOpen = true;
  const close = async () => {
    if (isOpen) await log.close();
    isOpen = false;
  };
  onTestFinished(close);
  await log.check();
  return { dir, log: { ...log, close } };
}

/** A closed log with so many sample entries, in batches of 50. */
export async function writtenLog(entries: number, options: Partial<FolderLogOptions> = {}): Promise<string> {
  const { dir, log } = await openTemporaryLog(options);
  for (let from = 0; from < entries; from += 50) {
    const count = Math.min(50, entries - from);
    await Promise.all(Array.from({ length: count }, (_, index) => log.append(sampleAccess(from + index))));
  }
  await log.close();
  return dir;
}
