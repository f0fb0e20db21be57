import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ARTIFACTS } from '../../pipeline/artifacts/table.ts';
import {
  isLiveName,
  LIVE_VALUES,
  type LiveName,
  type LiveValue,
} from '../../src/site/components/live/live-values.ts';
import { writeFixtureRelease } from './fixture-release.ts';

const NAMES = Object.keys(LIVE_VALUES) as LiveName[];
const live = (name: LiveName): LiveValue => LIVE_VALUES[name];
let release: string;

beforeAll(async () => {
  release = await mkdtemp(join(tmpdir(), 'cathedral-live-'));
  await writeFixtureRelease(release);
});

afterAll(() => rm(release, { recursive: true, force: true }));

const published = async (path: string): Promise<unknown> =>
  JSON.parse(await readFile(join(release, 'public', path), 'utf8'));

describe('a live value', () => {
  test.each(NAMES)('%s is of a file that follows the ledger, and is found in it', async (name) => {
    const { path, words } = live(name);
    expect(ARTIFACTS.find((artifact) => artifact.path === path)).toMatchObject({
      refresh: 'real-time',
      restricted: false,
    });
    expect(words(await published(path), 'ATLAS')).toMatch(/./);
  });

  test('that is not measured any more is a dash, not the number before', () => {
    const unmeasured = { sentinels: [{ id: 'ATLAS', performance: { gi_score: null, coordination: null } }] };
    for (const name of ['sentinel-integrity', 'sentinel-coordination'] as const)
      expect(live(name).words(unmeasured, 'ATLAS')).toBe('–');
  });

  test.each(NAMES)('%s stays as it is where the file is another', (name) => {
    for (const file of [
      null,
      7,
      [],
      {},
      { sentinels: {} },
      { sentinels: [null, { id: 'ATLAS' }], virtues: 1 },
    ]) {
      expect(live(name).words(file, 'ATLAS')).toBeNull();
    }
  });

  test('has a name out of the table', () => {
    expect(['sentinel-status', 'toString', ''].map(isLiveName)).toEqual([true, false, false]);
  });
});
