import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { KeptSite } from '../../../pipeline/build/site/compiled-site.ts';
import { sha256 } from '../../../pipeline/release/format/manifest.ts';
import { readCurrent } from '../../../pipeline/release/format/release.ts';
import type { Part, Status } from '../../../pipeline/release/format/status.ts';
import { openStaging } from '../../../pipeline/release/staging/staging.ts';
import type { RenderJob } from '../../../src/sidecar/charts/renderer-thread.ts';
import { LoadGate } from '../../../src/sidecar/limits/load-gate.ts';
import { createPagesOnRequest } from '../../../src/sidecar/pages/pages-on-request.ts';
import { dataFile, tinyFacts } from '../../release/publish-tiny.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';
import { tinyApp } from '../tiny-app.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml' };
const ORGANISATION = {
  name: 'Council <of> Examples',
  contact: 'data@example.org',
  licence: { id: 'CC-BY-4.0', title: 'Creative Commons', url: 'https://example.org/licence' },
};
const PAGES: Record<string, string> = { '/': 'home', '/economy/': 'economy', '/404/': 'unknown' };

/** A release of data files, and what becomes of its pages. */
async function released({
  lacks = [],
  error = null,
  running = null,
  site = null,
  broken = false,
}: {
  lacks?: Part[];
  error?: Status['last_run']['error'];
  running?: Status['running'];
  site?: KeptSite | null;
  broken?: boolean;
}) {
  const out = await temporaryFolder();
  {
    await using staging = await openStaging(out, null, { reuse: false });
    await staging.write(dataFile('economy/supply', '{"total_supply":1}\n'));
    await staging.publish({ facts: tinyFacts(3), state: '{}\n', sign: null });
  }
  const { manifest, dir } = (await readCurrent(out))!;
  await writeFile(join(dir, 'organisation.json'), JSON.stringify(ORGANISATION));
  const { timestamp, ledger } = manifest;
  const status: Status = {
    format: 'cathedral-status/1',
    service: { software: tinyFacts(3).software },
    release: { id: manifest.release, timestamp, ledger, lacks },
    running,
    last_run: {
      started_at: '2025-12-01T06:00:00.000Z',
      finished_at: '2025-12-01T06:00:04.200Z',
      outcome: lacks.length > 0 ? 'incomplete' : 'published',
      snapshots: 1,
      events: 3,
      findings: { count: 0, latest: [] },
      error,
    },
    next_run_at: null,
  };
  const rendered: string[] = [];
  const render = async (job: RenderJob) => {
    if (job.kind === 'file') throw new Error('no page');
    rendered.push(job.url);
    if (broken) throw new Error('a page that fails');
    const text =
      PAGES[job.url] ??
      JSON.stringify([{ kind: '/', paths: Object.keys(PAGES), touched: null, sources: {} }]);
    return { status: 200, type: 'text/html', body: Buffer.from(text) };
  };
  const pages = createPagesOnRequest({
    renderer: { run: (_client, _dir, work) => work(render) },
    readStatus: async () => status,
    baseUrl: 'https://data.example.org',
    sourceCode: null,
    report: () => rendered.push('reported'),
    findSite: async () => site,
  });
  const { app } = await tinyApp(out, { status, services: { pages } });
  const get = (url: string, headers: Record<string, string> = BROWSER) => app.inject({ url, headers });
  return { get, rendered, manifest };
}

async function compiled(): Promise<KeptSite> {
  const folder = await temporaryFolder();
  const [client, server] = [join(folder, 'client'), join(folder, 'server')];
  await mkdir(join(client, '_astro'), { recursive: true });
  await writeFile(join(client, '_astro/page.css'), 'p{}');
  const digests = new Map([
    ['client/_astro/page.css', sha256('p{}')],
    ['server/entry.mjs', sha256('')],
  ]);
  return { client, server, digests };
}

describe('before the site is compiled', () => {
  test('the start page lists the files, says as of when, and what is still being made', async () => {
    const { get, manifest } = await released({ lacks: ['charts', 'pages', 'pdfs'] });
    const { statusCode, headers, body } = await get('/');
    expect([statusCode, headers['cache-control']]).toEqual([200, 'no-store']);
    expect(body).toContain('<h1>Council &lt;of&gt; Examples</h1>');
    expect(body).toContain('<a href="/economy/supply">economy/supply</a>');
    expect(body).toContain(`release ${manifest.release}`);
    expect(body).toContain('Still being made are the charts, the pages and the PDFs.');
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]+=*'; base/,
    );
  });

  test('any other page is to come, and programs get a problem document', async () => {
    const { get } = await released({ lacks: ['pages'] });
    const page = await get('/economy/');
    expect([page.statusCode, page.headers['retry-after']]).toEqual([503, '5']);
    expect(page.body).toContain('This page is not made yet.');
    expect((await get('/economy/', {})).statusCode).toBe(404);
  });

  test('it says what failed, unless that is tried again', async () => {
    const error = { code: 'site_failed', message: 'The site could not be built.' } as const;
    const failed = await released({ lacks: ['pages'], error });
    expect((await failed.get('/')).body).toContain('Missing are the pages: The site could not be built.');
    const running = { started_at: '2025-12-01T06:05:00.000Z', makes: ['pages' as const] };
    const again = await released({ lacks: ['pages'], error, running });
    expect((await again.get('/')).body).toContain('Still being made are the pages.');
  });

  test('a service without pages has a start page alone, and renders nothing', async () => {
    const { get, rendered } = await released({ site: await compiled() });
    const { statusCode, body } = await get('/');
    expect([statusCode, body]).toEqual([200, expect.stringContaining('This service publishes no pages.')]);
    expect((await get('/economy/')).statusCode).toBe(404);
    expect(rendered).toEqual([]);
  });

  test('before the first release a browser is told so, and asks again', async () => {
    const { app } = await tinyApp(await temporaryFolder());
    const { statusCode, body } = await app.inject({ url: '/', headers: BROWSER });
    expect([statusCode, body]).toEqual([503, expect.stringContaining('The first release is being made.')]);
    expect(body).toContain('http-equiv="refresh"');
    expect((await app.inject({ url: '/' })).json()).toMatchObject({ code: 'unavailable' });
  });
});

describe('from the compiled site', () => {
  test('pages are rendered once each, and styles are sent with it', async () => {
    const { get, rendered } = await released({ lacks: ['pages'], site: await compiled() });
    const page = await get('/economy/');
    expect([page.statusCode, page.body]).toEqual([200, 'economy']);
    expect(page.headers).toMatchObject({
      etag: `"${sha256('economy')}"`,
      'content-type': 'text/html; charset=utf-8',
    });
    const again = await get('/economy/', { ...BROWSER, 'if-none-match': String(page.headers.etag) });
    expect(again.statusCode).toBe(304);
    expect((await get('/')).body).toBe('home');
    const style = await get('/_astro/page.css', {});
    expect([style.body, style.headers['content-type']]).toEqual(['p{}', 'text/css; charset=utf-8']);
    expect(rendered).toEqual(['/-/pages.json', '/economy/', '/']);
  });

  test('an address without its slash moves there; an unknown one is not rendered', async () => {
    const { get, rendered } = await released({ lacks: ['pages'], site: await compiled() });
    expect((await get('/economy')).headers.location).toBe('/economy/');
    expect((await get('/economy?from=2026-01-01')).headers.location).toBe('/economy/?from=2026-01-01');
    expect((await get('/nothing')).headers).toMatchObject({ vary: 'Accept', 'cache-control': 'no-store' });
    const unknown = await get('/nowhere/');
    expect([unknown.statusCode, unknown.body]).toEqual([404, 'unknown']);
    expect((await get('/nowhere/', {})).statusCode).toBe(404);
    expect(rendered).toEqual(['/-/pages.json', '/404/']);
  });

  test('what answers for an embed may be framed, whether it is there or not, and nothing else may', async () => {
    const site = await compiled();
    const answers = [
      await released({ lacks: ['pages'], site }),
      await released({ lacks: ['pages'] }),
      await released({ lacks: ['pages'], site, broken: true }),
      {
        get: async (url: string, headers = BROWSER) =>
          (await tinyApp(await temporaryFolder())).app.inject({ url, headers }),
      },
    ];
    const found = await Promise.all(
      answers.map(async ({ get }) => {
        const [page, program] = [
          await get('/embed/suply/'),
          await get('/embed/supply/', {} as typeof BROWSER),
        ];
        const other = [await get('/economi/'), await get('/embedding', {} as typeof BROWSER), await get('/')];
        const framedBy = ({ headers }: typeof page) =>
          /frame-ancestors (.*)$/.exec(`${headers['content-security-policy']}`)![1];
        return [page.statusCode, [page, program].map(framedBy), other.map(framedBy)];
      }),
    );
    const framing = [
      ['*', '*'],
      ["'none'", "'none'", "'none'"],
    ];
    expect(found).toEqual([404, 503, 503, 503].map((status) => [status, ...framing]));
  });

  test('a refusal in the frame of an embed is a page for its reader, and a problem document for a program', async () => {
    const gate = new LoadGate({ limits: { active: 0, loopDelayMs: 0 }, loopDelayMs: () => 1 });
    const { app } = await tinyApp(await temporaryFolder(), { services: { gate } });
    const get = (url: string, headers: Record<string, string>) => app.inject({ url, headers });
    const { statusCode, headers, body } = await get('/embed/supply/?series=burned', BROWSER);
    expect([statusCode, body]).toEqual([503, expect.stringContaining('<h1>Overloaded</h1>')]);
    expect(body).toContain('<p class="lead">The server is handling too many requests.</p>');
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'retry-after': '10',
      'content-security-policy': expect.stringContaining('frame-ancestors *'),
    });
    expect((await get('/embed/%zz/', BROWSER)).body).toContain('<h1>The request is malformed</h1>');
    expect((await get('/embed/supply/', {})).json()).toMatchObject({ code: 'overloaded' });
    expect((await get('/charts/supply.csv', BROWSER)).json()).toMatchObject({ code: 'overloaded' });
  });

  test('a page that fails is reported, and the plain page stands for it', async () => {
    const { get, rendered } = await released({ lacks: ['pages'], site: await compiled(), broken: true });
    expect((await get('/')).body).toContain('economy/supply');
    expect((await get('/economy/')).statusCode).toBe(503);
    expect(rendered.filter((one) => one === 'reported')).toHaveLength(2);
  });
});
