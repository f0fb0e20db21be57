import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Staging } from '../../../pipeline/release/staging/staging.ts';
import { publishTiny } from '../../release/publish-tiny.ts';
import { tinyApp } from '../tiny-app.ts';

const BASE_URL = 'https://data.example.org';
const DOCUMENT = {
  version: '1.0',
  type: 'rich',
  title: 'MIC supply over time: circulating, locked and burned',
  provider_name: 'Cathedral Data Service',
  provider_url: `${BASE_URL}/`,
  cache_age: 21600,
  width: 720,
  height: 546,
  html: '<iframe></iframe>',
  thumbnail_url: `${BASE_URL}/charts/supply.png`,
  thumbnail_width: 1640,
  thumbnail_height: 900,
};

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cathedral-oembed-'));
  const extra = async (staging: Staging) => {
    const content = `${JSON.stringify(DOCUMENT)}\n`;
    const about = { kind: 'asset', area: null, restricted: false, rows: null, immutable: false } as const;
    await staging.write({ ...about, path: 'oembed/supply.json', mediaType: 'application/json', content });
  };
  await publishTiny(folder, { events: 100, extra });
});

afterAll(async () => {
  if (folder) await rm(folder, { recursive: true, force: true });
});

async function ask(parameters: Record<string, string>) {
  const { app } = await tinyApp(folder, { services: { baseUrl: BASE_URL } });
  return app.inject({ method: 'GET', url: `/oembed?${new URLSearchParams(parameters)}` });
}
const PAGE = `${BASE_URL}/charts/supply/`;

describe('GET /oembed', () => {
  test('answers with a frame of the chart at the address', async () => {
    const response = await ask({ url: PAGE });
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(response.headers['access-control-allow-origin']).toBe('*');
    expect(response.json()).toEqual({
      ...DOCUMENT,
      html: `<iframe src="${BASE_URL}/embed/supply/" title="${DOCUMENT.title}" width="720" height="546" loading="lazy" style="border:0"></iframe>`,
    });
  });

  test.each([
    `${BASE_URL}/charts/supply`,
    `${BASE_URL}/embed/supply/`,
    'http://data.example.org/charts/supply/',
    `${BASE_URL}/charts/supply/?scale=linear#table`,
  ])('takes %s for the same chart', async (url) => {
    expect((await ask({ url, format: 'json' })).json()).toMatchObject({ title: DOCUMENT.title });
  });

  test('keeps the state in the address, in its canonical form', async () => {
    const { html, title } = (await ask({ url: `${PAGE}?scale=log&series=burned` })).json();
    expect(html).toContain(`src="${BASE_URL}/embed/supply/?series=burned&amp;scale=log"`);
    expect(title).toBe('MIC supply');
  });

  test('stays within the requested size, and leaves out a larger thumbnail', async () => {
    const small = (await ask({ url: PAGE, maxwidth: '400', maxheight: '300' })).json();
    expect(small).toMatchObject({ width: 400, height: 300 });
    expect(small.html).toContain('width="400" height="300"');
    expect(small).not.toHaveProperty('thumbnail_url');
    const large = (await ask({ url: PAGE, maxwidth: '4000', maxheight: '4000' })).json();
    expect(large).toMatchObject({ width: 720, height: 546, thumbnail_width: 1640 });
  });

  test.each([
    'https://elsewhere.example.org/charts/supply/',
    `${BASE_URL}/charts/no-such-chart/`,
    `${BASE_URL}/charts/`,
    `${BASE_URL}/economy/supply`,
    `${PAGE}?series-of=burned`,
    'ftp://data.example.org/charts/supply/',
    'not an address',
  ])('has nothing for %s: 404', async (url) => {
    const response = await ask({ url });
    expect(response.statusCode).toBe(404);
    expect(response.json()).toMatchObject({ code: 'not_found' });
  });

  test('refuses formats other than JSON: 501', async () => {
    const response = await ask({ url: PAGE, format: 'xml' });
    expect(response.statusCode).toBe(501);
    expect(response.json()).toMatchObject({ code: 'format_not_offered', status: 501 });
  });

  test.each([
    [{}, 'url'],
    [{ url: PAGE, maxwidth: '0' }, 'maxwidth'],
    [{ url: PAGE, maxheight: '12.5' }, 'maxheight'],
    [{ url: PAGE, maxheight: '99999999' }, 'maxheight'],
  ])('refuses %j and names the parameter: 400', async (parameters, name) => {
    const response = await ask(parameters as Record<string, string>);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ code: 'invalid_parameter' });
    expect(response.json().detail).toContain(name);
  });

  test('ignores parameters that other programs add', async () => {
    expect((await ask({ url: PAGE, dnt: '1' })).statusCode).toBe(200);
  });
});
