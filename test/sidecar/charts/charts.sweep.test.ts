import { mkdir, rm, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCharts } from '../../../src/sidecar/charts/charts-in-states.ts';
import { Renderer } from '../../../src/sidecar/charts/renderer.ts';
import { buildSmall, writeSmallLedger } from '../../formats/small-release.ts';
import { useFolder } from '../../setups/use-folder.ts';
import { get, tinyApp } from '../tiny-app.ts';

const BASE_URL = 'https://data.example.org';
const STATE = 'series=burned&from=2025-12-25';

const folder = useFolder();
let shared: Renderer;
/** The release before the one that most tests look at, and that one. */
const releases: string[] = [];

beforeAll(async () => {
  await writeSmallLedger(folder);
  for (const more of [{ until: '2026-01-03T06Z', charts: false }, { charts: true }]) {
    const { dir } = await buildSmall(folder, 'out', {
      ...{ extras: false, ...more },
      printCharts: async (charts) => charts.map(() => Buffer.from('%PDF of the release')),
    });
    releases.push(basename(dir));
  }
  shared = new Renderer();
});

afterAll(() => shared.close());

/** The app over the releases in a folder. */
function chartApp(out: string) {
  const charts = createCharts({ renderer: shared, baseUrl: BASE_URL });
  return tinyApp(out, { services: { charts } });
}

test('another release is drawn from its own files', async () => {
  const out = join(folder, 'moving');
  await mkdir(out);
  await symlink(join(folder, 'out/releases'), join(out, 'releases'));
  const { app } = await chartApp(out);
  const answers = [];
  for (const release of releases) {
    await rm(join(out, 'current'), { force: true });
    await symlink(`releases/${release}`, join(out, 'current'));
    answers.push(await get(app, `/charts/supply.csv?${STATE}`));
  }
  const [before, after] = answers;
  expect(after!.body.length).toBeGreaterThan(before!.body.length);
  expect(after!.headers.etag).not.toBe(before!.headers.etag);
});
