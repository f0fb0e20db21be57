import { appendFile, cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCharts } from '../../../src/sidecar/charts/charts.ts';
import { Renderer } from '../../../src/sidecar/charts/renderer.ts';
import { buildSmall, writeSmallLedger } from '../../formats/small-release.ts';
import { get, tinyApp } from '../tiny-app.ts';

const BASE_URL = 'https://data.example.org';
const STATE = 'series=burned&from=2025-12-25';

let folder: string;
let shared: Renderer;
/** The release before the one that most tests look at, and that one. */
const releases: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cathedral-charts-'));
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

afterAll(async () => {
  await shared.close();
  await rm(folder, { recursive: true, force: true });
});

/** The app with quotas and logs over the release; `written` counts what was drawn. */
async function chartApp(out = join(folder, 'out'), renderer: Pick<Renderer, 'run'> = shared) {
  let written = 0;
  const run: Renderer['run'] = (client, dir, work) =>
    renderer.run(client, dir, (render) => {
      written += 1;
      return work(render);
    });
  const charts = createCharts({ renderer: { run }, baseUrl: BASE_URL });
  const opened = await tinyApp(out, { asDiskErrors: true, services: { charts } });
  return { ...opened, written: () => written };
}

describe('a chart is refused', () => {
  test.each([
    ['/charts/supply.svg?nope=1', 400, 'unknown_parameter'],
    ['/charts/supply.pdf?series=burned', 400, 'unknown_parameter'],
    ['/charts/supply.pdf?scale=linear', 400, 'unknown_parameter'],
    ['/charts/supply.svg?from=yesterday', 400, 'invalid_parameter'],
    ['/charts/supply.svg?series=nobody', 400, 'invalid_parameter'],
    ['/charts/supply.svg?series=%ff', 400, 'invalid_parameter'],
    ['/charts/supply.svg?api_key=1', 400, 'key_in_query'],
    ['/charts/none.svg?from=2026-01-01', 404, 'not_found'],
    ['/charts/supply.gif?from=2026-01-01', 404, 'not_found'],
    ['/charts/supply.zip', 404, 'not_found'],
  ])('%s', async (url, status, code) => {
    const { app } = await chartApp();
    const { statusCode, headers, ...answer } = await get(app, url);
    expect([statusCode, headers['content-type']]).toEqual([status, 'application/problem+json']);
    expect(answer.json()).toMatchObject({ status, code, instance: url.split('?', 1)[0] });
  });

  test('while too many are waiting, and is drawn afterwards', async () => {
    const renderer = new Renderer({ parallel: 1, waiting: 0 });
    let asked = 0;
    const all = Promise.withResolvers<void>();
    const run: Renderer['run'] = (client, dir, work) => {
      asked += 1;
      if (asked === 3) all.resolve();
      return renderer.run(client, dir, async (render) => {
        await all.promise;
        return work(render);
      });
    };
    const { app } = await chartApp(undefined, { run });
    const days = ['21', '22', '23'].map((day) => `/charts/mii.svg?from=2025-12-${day}`);
    const answers = await Promise.all(days.map((url) => get(app, url)));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 503, 503]);
    expect(answers.find(({ statusCode }) => statusCode === 503)?.json().code).toBe('overloaded');
    expect((await get(app, days[2]!)).statusCode).toBe(200);
    await renderer.close();
  });

  test('if a file that it shows is damaged', async () => {
    const out = join(folder, 'damaged');
    await cp(join(folder, 'out'), out, { recursive: true, verbatimSymlinks: true });
    await appendFile(join(out, 'current/public/economy/supply-by-day.csv'), 'x');
    const { app, logged } = await chartApp(out);
    const answer = await get(app, `/charts/supply.svg?${STATE}`);
    expect([answer.statusCode, answer.json().code]).toEqual([500, 'internal_error']);
    expect(logged.some(({ msg }) => msg === 'request failed')).toBe(true);
    expect((await get(app, '/charts/mii.svg?from=2025-12-25')).statusCode).toBe(200);
  });
});

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
