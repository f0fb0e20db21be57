import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ARTIFACTS } from '../../pipeline/artifacts/table.ts';
import { liveText } from '../../src/site/layout/live/live-values.ts';
import { useFolder } from '../setups/use-folder.ts';
import { writeFixtureRelease } from './fixture-release.ts';

const LIVE = ARTIFACTS.flatMap((artifact) =>
  Object.entries(artifact.liveValues ?? {}).map(([name, value]) => [name, value, artifact] as const),
);
const release = useFolder();

beforeAll(() => writeFixtureRelease(release));

const published = async (path: string): Promise<unknown> =>
  JSON.parse(await readFile(join(release, 'public', path), 'utf8'));

describe('a live value', () => {
  test.each(LIVE)('%s is in a public file that follows the ledger', async (_, value, artifact) => {
    expect(artifact).toMatchObject({ refresh: 'real-time', restricted: false });
    expect(liveText(await published(artifact.path), value, 'ATLAS')).toMatch(/./);
  });

  test('that is no longer measured is a dash, not the previous number', () => {
    const unmeasured = { sentinels: [{ id: 'ATLAS', performance: { gi_score: null, coordination: null } }] };
    for (const [name, value] of LIVE.filter(([name]) => /integrity|coordination/.test(name)))
      expect(liveText(unmeasured, value, 'ATLAS'), name).toBe('–');
  });

  test.each(LIVE)('%s is left alone where the file has another shape', (_, value) => {
    for (const file of [
      null,
      7,
      [],
      {},
      { sentinels: {} },
      { sentinels: [null, { id: 'ATLAS' }], virtues: 1 },
    ]) {
      expect(liveText(file, value, 'ATLAS')).toBeNull();
    }
  });
});
