import { join } from 'node:path';
import { describe } from 'vitest';
import { expireEntries } from '../../../src/sidecar/access-log/expire-entries.ts';
import { openFolderAccessLog } from '../../../src/sidecar/access-log/folder-access-log.ts';
import { readLogFolder } from '../../../src/sidecar/access-log/log-files.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';
import { testAccessLog } from './access-log-contract.ts';
import { MemoryLog } from './memory-access-log.ts';
import { SMALL_FILE } from './open-temporary-log.ts';

describe('an access log in memory', () =>
  testAccessLog(3, async () => {
    const log = new MemoryLog();
    return {
      reader: log,
      open: (options) => log.open(options),
      expire: (before, now) => log.expire(before, now),
    };
  }));

describe('an access log in a folder', () =>
  testAccessLog(1, async () => {
    const dir = join(await temporaryFolder(), 'access-log');
    return {
      reader: readLogFolder(dir),
      open: (options) => openFolderAccessLog({ dir, maxFileBytes: SMALL_FILE, ...options }),
      expire: (before, now) => expireEntries(dir, before, now),
    };
  }));
