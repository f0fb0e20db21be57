import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readCurrent } from '../../../pipeline/release/format/release.ts';
import { parseCycleRuns } from '../../../pipeline/release/history/cycle-runs.ts';
import { verifyRelease } from '../../../pipeline/release/staging/verify-release.ts';
import { failureOf, temporaryFolder } from '../../release/temporary-folder.ts';
import { publishLines } from './export-app.ts';
import { hardLines } from './ledger-lines.ts';

const LINES = hardLines(300, 4);

async function segmentsOf(out: string) {
  const { dir, manifest } = (await readCurrent(out))!;
  return { dir, segments: manifest.segments['government/ledger/export']! };
}

describe('the cycles beside a segment', () => {
  test('belong to the release: a changed one is found, and so is a missing one by the next run', async () => {
    const out = await temporaryFolder();
    await publishLines(out, LINES);
    const { dir, segments } = await segmentsOf(out);
    expect(await verifyRelease(dir)).toEqual([]);
    const cycles = `${segments.at(-1)!.file}.cycles`;
    await appendFile(join(dir, cycles), 'C-1,1\n');
    expect((await verifyRelease(dir)).map(({ place }) => place)).toEqual([cycles]);
    expect(await failureOf(() => publishLines(out, hardLines(301, 4)))).toMatchObject({
      code: 'release_invalid',
    });
  });

  test.each([['C-1,99\n'], ['C-1,101\n'], ['C-1,100\nC-2,0\n'], ['x,100\n'], ['C-1,1e2,\nC-1,0\n'], ['']])(
    '%j are not those of 100 bytes',
    async (text) => {
      const failure = await failureOf(async () => parseCycleRuns(text, 100, 'here'));
      expect(failure).toMatchObject({ code: 'release_invalid', place: 'here' });
    },
  );
});
