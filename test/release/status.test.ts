import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readStatus, type Status, writeStatus } from '../../pipeline/release/format/status.ts';
import { tinyFacts } from './publish-tiny.ts';
import { failureOf, temporaryFolder } from './temporary-folder.ts';

const { ledger, timestamp, software } = tinyFacts(3);
const status: Status = {
  format: 'cathedral-status/1',
  service: { software },
  release: { id: 'slot-3-00000000', timestamp, ledger, lacks: [] },
  running: null,
  last_run: {
    started_at: '2025-12-01T06:00:00.000Z',
    finished_at: '2025-12-01T06:00:04.200Z',
    outcome: 'failed',
    snapshots: 1,
    events: 3,
    findings: { count: 1, latest: ['a mint of another amount'] },
    error: { code: 'ledger_root', message: 'snapshots/x: expected a, found b (ledger_root)' },
  },
  next_run_at: null,
};

test('a status reads back as it was written, and replaces the one before', async () => {
  const out = join(await temporaryFolder(), 'out');
  await writeStatus(out, status);
  await writeStatus(out, { ...status, next_run_at: '2025-12-01T12:00:00Z' });
  expect(await readStatus(out)).toEqual({ ...status, next_run_at: '2025-12-01T12:00:00Z' });
  expect(await readdir(out)).toEqual(['status.json']);
  expect((await readFile(join(out, 'status.json'), 'utf8')).endsWith('}\n')).toBe(true);
});

test('before the first run there is none', async () => {
  expect(await readStatus(await temporaryFolder())).toBeNull();
});

test('a status with another member, an unknown error code or a broken text is refused', async () => {
  const out = await temporaryFolder();
  const wrong = [
    { ...status, more: 1 },
    { ...status, last_run: { ...status.last_run, error: { code: 'oops', message: '' } } },
  ];
  for (const text of [...wrong.map((value) => JSON.stringify(value)), '{', '']) {
    await writeFile(join(out, 'status.json'), text);
    expect(await failureOf(() => readStatus(out))).toMatchObject({ code: 'release_invalid' });
  }
});
