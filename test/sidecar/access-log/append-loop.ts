import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { openLogFile } from '../../../src/sidecar/access-log/access-log.ts';
import { sampleAccess } from './sample-access.ts';

/** As a process of its own: appends until it is killed, and writes the number of each entry when it is acknowledged. */
const log = openLogFile(join(process.argv[2]!, 'log.db'));
let next = Number(process.argv[3]);

async function appendForever(): Promise<never> {
  for (;;) {
    const index = next;
    next += 1;
    await log.append(sampleAccess(index));
    acknowledge(`${index}\n`);
  }
}

/** Written when it returns; a pipe that is full for a moment is tried again. */
function acknowledge(line: string): void {
  for (;;) {
    try {
      writeSync(1, line);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}

await Promise.all(Array.from({ length: 8 }, appendForever));
