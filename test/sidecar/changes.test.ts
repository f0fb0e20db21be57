import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changesDocument } from '../../pipeline/forms/changes/changes-document.ts';
import { FLOWS, LEVELS, YEAR_FORMAT, type YearOfDays } from '../../pipeline/forms/changes/year-of-days.ts';
import { siteFile } from '../../pipeline/release/staging/site-tree.ts';
import type { Staging } from '../../pipeline/release/staging/staging.ts';
import { publishTiny } from '../release/publish-tiny.ts';
import { tinyApp } from './tiny-app.ts';

const BASE_URL = 'https://data.example.org';
const DAYS = ['2026-10-01', '2026-10-20', '2026-11-21'];

/** A year in which every figure is 1, 2, 3. */
const YEAR: YearOfDays = {
  format: YEAR_FORMAT,
  year: '2026',
  days: DAYS,
  levels: Object.fromEntries(
    Object.keys(LEVELS).map((name) => [name, [1, 2, 3]]),
  ) as unknown as YearOfDays['levels'],
  flows: Object.fromEntries(
    Object.keys(FLOWS).map((name) => [name, [1, 1, 1]]),
  ) as unknown as YearOfDays['flows'],
  rows: {},
  decisions: [{ date: '2026-10-20', href: '/decisions/d-1/', id: 'D-1', topic: 'Whether' }],
  deliberations: [],
  multipliers: [],
  outages: [],
  audits: [],
  alerts: [],
  schemas: [],
};

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cathedral-changes-'));
  const extent = { first: DAYS[0]!, last: DAYS.at(-1)! };
  const extra = async (staging: Staging) => {
    await staging.write(siteFile('changes/2026.json', Buffer.from(JSON.stringify(YEAR))));
    const document = changesDocument(null, extent, BASE_URL);
    await staging.write(siteFile('changes.json', Buffer.from(JSON.stringify(document))));
  };
  await publishTiny(folder, { events: 100, extra });
});

afterAll(async () => {
  if (folder) await rm(folder, { recursive: true, force: true });
});

async function ask(query: string, headers: Record<string, string> = {}) {
  const { app } = await tinyApp(folder, { services: { baseUrl: BASE_URL } });
  return app.inject({ method: 'GET', url: `/changes.json${query}`, headers });
}

describe('GET /changes.json', () => {
  test('compares any two days, with an entity tag, for any page on the web', async () => {
    const response = await ask('?since=2026-10-10&until=2026-11-21');
    expect(response.statusCode).toBe(200);
    expect(response.headers['access-control-allow-origin']).toBe('*');
    const { changes } = response.json();
    expect(changes).toMatchObject({ since: '2026-10-10', days: 42 });
    expect(changes.figures[0]).toMatchObject({ name: 'total_supply', since: 1, until: 3, change: 2 });
    expect(changes.counted[0]).toMatchObject({ name: 'minted', count: 2 });
    expect(changes.decisions).toEqual([
      { date: '2026-10-20', id: 'D-1', topic: 'Whether', url: `${BASE_URL}/decisions/d-1/` },
    ]);
    const again = await ask('?since=2026-10-10', { 'if-none-match': String(response.headers.etag) });
    expect(again.statusCode).toBe(304);
  });

  test('without a query is the file of the release', async () => {
    expect((await ask('')).json()).toMatchObject({ first_day: DAYS[0], changes: null });
  });

  test.each([
    [
      '?since=2026-13-01',
      'invalid_parameter',
      /^The parameter since: “2026-13-01” is not a day\. .* 1 October 2026 /,
    ],
    ['?since=', 'invalid_parameter', /since: expected a value, found none/],
    ['?since=2026-11-01&until=2026-10-01', 'invalid_parameter', /is after 1 October 2026\. Exchange/],
    ['?until=2027-01-01', 'invalid_parameter', /until: 1 January 2027 is after the newest finished day/],
    ['?since=2026-10-10&area=economy', 'unknown_parameter', /since, until, found "area"/],
  ])('refuses %s', async (query, code, detail) => {
    const response = await ask(query);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ code, detail: expect.stringMatching(detail) });
  });
});
