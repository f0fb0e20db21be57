import { randomBytes } from 'node:crypto';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Response } from 'light-my-request';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { formatVerifierKey } from '../../../pipeline/ledger/notes/note.ts';
import { demoSigner } from '../../../pipeline/ledger/writing/demo-key.ts';
import { writeSample } from '../../../pipeline/sample/write-sample.ts';
import { createCharts } from '../../../src/sidecar/charts/charts-in-states.ts';
import { Renderer } from '../../../src/sidecar/charts/renderer.ts';
import { createExporter } from '../../../src/sidecar/export/exporter.ts';
import { createLogFiles } from '../../../src/sidecar/files/log-files.ts';
import { Releases } from '../../../src/sidecar/files/releases.ts';
import { ServedSnapshots } from '../../../src/sidecar/files/served-snapshots.ts';
import { issueKey } from '../../../src/sidecar/keys/key-life.ts';
import { openKeyStore } from '../../../src/sidecar/keys/key-store.ts';
import { build } from '../../build/run-build.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';
import { useFolder } from '../../setups/use-folder.ts';
import { GOVERNMENT } from '../../sidecar/keys/tiny-key-services.ts';
import { type InjectedApp, tinyApp } from '../../sidecar/tiny-app.ts';
import { goldenDocument } from './golden-document.ts';
import type { Answer, Example, Operation } from './operation.ts';
import { isReference, operationsIn } from './operations-in.ts';

const document = goldenDocument();
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ $id: 'api', ...document });

/** Paths that a release without a site lacks, a stream without an end, and paths with tests of their own. */
const ELSEWHERE = /\.pdf$|^\/live$|^\/oembed$|^\/attestations\//;
const DATABASE = '/cathedral.sqlite';
const BELOW_SNAPSHOTS = '/snapshots/{snapshot}/{area}/{file}';
/** What the examples of the description do not know of the release below. */
const EXAMPLES: Readonly<Record<string, string>> = { snapshot: '2026-01-03T00Z' };
const operations = operationsIn(document.paths)
  .filter(({ path }) => !ELSEWHERE.test(path))
  .map(({ path, operation }) => {
    const exampleOf = (name: string) => {
      const parameter = operation.parameters?.find((one) => 'name' in one && one.name === name);
      return EXAMPLES[name] ?? String((parameter as { example: string }).example);
    };
    return [path.replace(/\{(\w+)\}/g, (_, name: string) => exampleOf(name)), operation] as const;
  });
const files = operations.filter(([, { tags }]) => tags[0] !== 'service');

const folder = useFolder();
const out = join(folder, 'out');
let renderer: Renderer;

beforeAll(async () => {
  renderer = new Renderer();
  const ledger = join(folder, 'ledger');
  await writeSample({ out: ledger, from: '2025-12-29', to: '2026-01-03', seed: 1 });
  await build({
    ...{ ledger, out, charts: true, extras: true },
    verifiers: [demoSigner().verifier],
    documents: 'data/documents',
    companions: 'data/keys/companions.json',
    baseUrl: 'https://data.example.org',
    software: 'cathedral-data-service/test',
    publisher: {
      ...{ kind: 'signs', keyFile: join(folder, 'publisher.key'), now: Date.now },
      // As if a server on this machine signed heads of its access log.
      accessLogKeys: [formatVerifierKey(demoSigner().verifier)],
    },
    snapshots: { days: 1 },
    waitMs: 0,
    log: () => {},
  });
  // As if a witness had cosigned the checkpoint in the example.
  await mkdir(join(out, 'log/cosigned'));
  await copyFile(join(out, 'log/checkpoint'), join(out, 'log/cosigned/704'));
});

afterAll(() => renderer.close());

/** The real app with all of its guards over that release, and a government key. */
async function asDiskErrors() {
  const releases = new Releases(out, () => {});
  const exporter = createExporter({ current: () => releases.current() });
  const charts = createCharts({ renderer, baseUrl: 'https://data.example.org' });
  const keys = await openKeyStore(join(await temporaryFolder(), 'keys.sqlite'));
  onTestFinished(() => keys.close());
  const { app } = await tinyApp(out, {
    asDiskErrors: true,
    services: {
      keys,
      exporter,
      charts,
      log: createLogFiles(out),
      snapshots: new ServedSnapshots(out),
    },
  });
  const office = {
    store: keys,
    mailer: null,
    now: Date.now,
    randomBytes,
    baseUrl: 'https://data.example.org',
  };
  const { key } = await issueKey({ ...GOVERNMENT, deliver: 'print' }, office);
  const bearer = { authorization: `Bearer ${key}` };
  const needsKey = ({ security }: Operation) => security.every((one) => 'key' in one);
  const keyFor = (operation: Operation) => (needsKey(operation) ? bearer : {});
  return { app, bearer, needsKey, keyFor };
}

/** The description of the response with this status. */
function described({ responses }: Operation, status: number): Answer {
  const found = responses[String(status)];
  if (!found) throw new Error(`${status} is not in the document`);
  if (!isReference(found)) return found;
  return document.components.responses[found.$ref.split('/').at(-1)!]!;
}

/** Asserts the status, media type, headers and schema of the description. */
async function ask(
  app: InjectedApp,
  url: string,
  operation: Operation,
  headers: Record<string, string> = {},
  payload?: string,
) {
  const method = payload === undefined ? 'GET' : 'POST';
  const answer = await app.inject({ method, url, headers, ...(payload !== undefined && { payload }) });
  const { content = {}, ...about } = described(operation, answer.statusCode);
  assertHeaders(url, Object.keys(about.headers ?? {}), answer);
  const mediaType = String(answer.headers['content-type'] ?? '');
  if (answer.statusCode !== 206 && answer.statusCode !== 304) {
    const known = [mediaType, '*/*'];
    const written = known.find((one) => one in content) ?? mediaType;
    expect([url, Object.keys(content)]).toEqual([url, expect.arrayContaining([written])]);
    if (/[/+]json$/.test(written)) assertForm(url, content[written]!.schema, answer);
  }
  if (answer.statusCode >= 400) expect(about['x-problem-codes']).toContain(answer.json().code);
  return answer;
}

/** On answers of every path, and said once for all; or in the media type. */
const NOT_DESCRIBED =
  /^(access-control-.*|connection|content-(encoding|length|security-policy|type)|date|keep-alive|referrer-policy|transfer-encoding|vary|x-accel-buffering|x-content-type-options)$/;

/** Asserts that the headers are those of the description. */
function assertHeaders(url: string, promised: readonly string[], { statusCode, headers }: Response): void {
  const known = promised.map((name) => name.toLowerCase());
  const sent = Object.keys(headers).filter((name) => !NOT_DESCRIBED.test(name));
  expect([url, statusCode, sent.filter((name) => !known.includes(name))]).toEqual([url, statusCode, []]);
  // Missing where a shared cache may keep the response, or the tier has no quota; where the version is the current one; where no key is wrong.
  const keptBy = String(headers['cache-control']);
  const isFree =
    keptBy.startsWith('public') || (keptBy.startsWith('private') && url.startsWith('/government/'));
  const mayLack = [
    ...(isFree ? ['ratelimit', 'ratelimit-policy'] : []),
    ...(headers.link === undefined ? ['content-location', 'link', 'memento-datetime'] : []),
    ...(statusCode === 400 ? ['www-authenticate'] : []),
    ...(statusCode === 415 ? ['accept-encoding', 'accept-post'] : []),
  ];
  const missing = known.filter((name) => !(sent.includes(name) || mayLack.includes(name)));
  expect([url, statusCode, missing]).toEqual([url, statusCode, []]);
}

/** The headers, and the body of the example where there is one. */
function sentTo({ requestBody }: Operation, key: Record<string, string>): [Record<string, string>, string?] {
  const [example] = Object.values(requestBody?.content['application/json']?.examples ?? {});
  if (!example || isReference(example)) return [key];
  return [{ ...key, 'content-type': 'application/json' }, JSON.stringify(example.value)];
}

function assertForm(url: string, schema: object, answer: Response): void {
  const validate = ajv.compile(isReference(schema) ? { $ref: `api${schema.$ref}` } : schema);
  expect([url, validate(answer.json()), validate.errors]).toEqual([url, true, null]);
}

describe('the service matches its description', () => {
  test('for charts in states, and for an invalid state', async () => {
    const { app } = await asDiskErrors();
    const states = [
      ['/charts/{id}.svg', '/charts/supply.svg?theme=dark&series=burned&scale=log&from=2025-12-30', 200],
      ['/charts/{id}.json', '/charts/reward-curve.json?s=60&multiplier=1.5', 200],
      ['/charts/{id}.svg', '/charts/supply.svg?from=2025', 400],
      ['/charts/{id}.csv', '/charts/supply.csv?multiplier=1.5', 400],
    ] as const;
    for (const [path, url, status] of states)
      expect([url, (await ask(app, url, document.paths[path]!.get!)).statusCode]).toEqual([url, status]);
  });

  test('for every file, with its format and headers', async () => {
    const { app, keyFor } = await asDiskErrors();
    for (const [path, operation] of operations) {
      if (path === '/status.json') continue;
      const key = keyFor(operation);
      const { statusCode } = await ask(app, path, operation, ...sentTo(operation, key));
      expect([path, statusCode]).toEqual([path, 200]);
    }
  });

  test('for earlier versions', async () => {
    const { app } = await asDiskErrors();
    for (const path of ['/economy/mic-history.csv', '/economy/roi'])
      for (const url of [`${path}?as_of=2026-01-03T00Z`, `/snapshots/2026-01-03T00Z${path}`]) {
        const operation = document.paths[url.startsWith('/snapshots') ? BELOW_SNAPSHOTS : path]!.get!;
        expect([url, (await ask(app, url, operation)).statusCode]).toEqual([url, 200]);
      }
  });

  test('for conditions and ranges: 304, 206, 412 and 416', async () => {
    const { app, keyFor } = await asDiskErrors();
    for (const [path, operation] of files) {
      if (!operation.responses['304']) continue;
      const key = keyFor(operation);
      const { headers } = await ask(app, path, operation, key);
      const conditions = {
        304: { 'if-none-match': String(headers.etag) },
        206: { range: 'bytes=0-9' },
        412: { 'if-match': '"another"' },
        416: { range: 'bytes=999999999-' },
      };
      for (const [status, condition] of Object.entries(conditions)) {
        const answer = await ask(app, path, operation, { ...key, ...condition });
        expect([path, answer.statusCode]).toEqual([path, Number(status)]);
      }
    }
  });

  test('for refusals: 400, 401, 403 and 405', async () => {
    const { app, bearer, needsKey, keyFor } = await asDiskErrors();
    for (const [path, operation] of files) {
      const key = keyFor(operation);
      const statuses = [
        await ask(app, `${path}?nope=1`, operation, key),
        await ask(app, `${path}?api_key=1`, operation, key),
        await ask(app, path, operation, { authorization: 'Bearer wrong' }),
        await ask(app, path, operation, { authorization: 'Basic wrong' }),
        needsKey(operation) ? await ask(app, path, operation) : await ask(app, path, operation, bearer),
      ].map(({ statusCode }) => statusCode);
      const area = operation.tags[0]!;
      const isOpen =
        ['government', 'diplomacy', 'charts', 'log', 'releases'].includes(area) || path === DATABASE;
      const last = needsKey(operation) ? 401 : isOpen ? 200 : 403;
      expect([path, statuses]).toEqual([path, [400, 400, 401, 401, last]]);
      const posted = await app.inject({ method: 'POST', url: path, headers: key });
      expect([path, posted.statusCode, posted.json().code]).toEqual([path, 405, 'method_not_allowed']);
    }
  });

  test('for verdicts and statuses of attestations', async () => {
    const { app } = await asDiskErrors();
    const verify = document.paths['/attestations/verify']!.post!;
    const [sent] = Object.values(verify.requestBody!.content['application/json']!.examples!);
    const text = JSON.stringify((sent as Example).value);
    const json = { 'content-type': 'application/json' };
    const path = '/attestations/verify';
    const asked = [
      await ask(app, path, verify, json, text),
      await ask(app, path, verify, json, '{}'),
      await ask(app, path, verify, json, 'x'.repeat(65_537)),
      await ask(app, path, verify, {}, text),
      await ask(app, `${path}?a=b`, verify, json, text),
      await ask(app, path, verify, { ...json, authorization: 'Bearer wrong' }, text),
      await ask(app, path, verify),
    ];
    expect(asked.map(({ statusCode }) => statusCode)).toEqual([200, 200, 413, 415, 400, 401, 405]);
    const status = document.paths['/attestations/{id}/status']!.get!;
    const [known] = (await app.inject({ url: '/philosophy/companions.json' })).json().attestations;
    expect((await ask(app, `/attestations/${known.id}/status`, status)).json()).toMatchObject({
      id: known.id,
      uuid: known.uuid,
    });
    expect((await ask(app, '/attestations/nothing/status', status)).statusCode).toBe(404);
  });

  test('for a used up quota: 429', async () => {
    const { app } = await asDiskErrors();
    const get = document.paths['/economy/supply']!.get!;
    for (let request = 0; request < 100; request += 1) await app.inject({ url: '/economy/supply' });
    const answer = await ask(app, '/economy/supply', get);
    expect(answer.statusCode).toBe(429);
    expect(answer.headers).toMatchObject({
      'retry-after': expect.any(String),
      ratelimit: expect.any(String),
    });
  });

  test('for exports in each format, and for an invalid parameter', async () => {
    const { app, bearer } = await asDiskErrors();
    const get = document.paths['/export']!.get!;
    for (const query of [
      'format=csv',
      'format=ndjson',
      'from=2026-01-01&to=2026-01-02',
      'filter=event_type==mic_mint',
    ])
      expect([query, (await ask(app, `/export?${query}`, get, bearer)).statusCode]).toEqual([query, 200]);
    const rowsOf = async (query: string) => {
      const { body } = await app.inject({ url: `/export?format=ndjson${query}`, headers: bearer });
      return body.split('\n').length - 1;
    };
    // Cycles are days, so the ledger's five cycles are the dates.
    const [all, one] = [await rowsOf(''), await rowsOf('&filter=cycle==C-180')];
    expect([one > 10, one < all / 3, await rowsOf('&filter=cycle!=C-180')]).toEqual([true, true, all - one]);
    for (const query of ['from=2026-13-01', 'format=xml', 'filter=sentinel==ATLAS'])
      expect([query, (await ask(app, `/export?${query}`, get, bearer)).statusCode]).toEqual([query, 400]);
  });
});
