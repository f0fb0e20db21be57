import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { exportAccessLog } from '../../../src/sidecar/access-log/export-access-log.ts';
import { verifyAccessLog } from '../../../src/sidecar/access-log/verify-access-log.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';
import { readerOf } from './open-temporary-log.ts';

/** Kills the writer after so many acknowledged entries. Returns the numbers of all that were acknowledged. */
async function appendAndKill(dir: string, first: number, killAfter: number): Promise<number[]> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'append-loop.ts'), dir, String(first)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let lines = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    lines += chunk.toString().split('\n').length - 1;
    if (lines >= killAfter) child.kill('SIGKILL');
  });
  const [output, [, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  expect(signal).toBe('SIGKILL');
  return output.split('\n').filter(Boolean).map(Number);
}

test('kill -9, again and again, loses nothing that was acknowledged and breaks no chain', async () => {
  const dir = join(await temporaryFolder(), 'access-log');
  const acknowledged: number[] = [];
  for (const [round, killAfter] of [1, 40, 150, 400, 700].entries())
    acknowledged.push(...(await appendAndKill(dir, round * 100_000, killAfter)));
  const reader = await readerOf(dir);
  const verdict = await verifyAccessLog(reader);
  expect(verdict.faults).toEqual([]);
  const logged = new Set<string>();
  for await (const lines of exportAccessLog(reader, {
    from: -Infinity,
    to: Infinity,
    format: 'ndjson',
  }))
    for (const line of lines.split('\n').filter(Boolean)) logged.add(JSON.parse(line).request_id);
  expect(acknowledged.length).toBeGreaterThan(1_000);
  expect(acknowledged.filter((index) => !logged.has(`request-${index}`))).toEqual([]);
  // At most what was under way at each kill.
  expect(logged.size - acknowledged.length).toBeLessThanOrEqual(5 * 8);
  expect(verdict.entries).toBe(logged.size);
});
