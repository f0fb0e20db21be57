import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Change } from '../../../pipeline/forms/catalogue/changes.ts';
import { areaFeed, formatJsonFeed } from '../../../pipeline/forms/catalogue/feeds.ts';
import { Releases } from '../../../src/sidecar/files/releases.ts';
import { issueKey } from '../../../src/sidecar/keys/issue-key.ts';
import { rotateKey } from '../../../src/sidecar/keys/rotate-key.ts';
import { WebhookDispatcher } from '../../../src/sidecar/webhooks/dispatcher.ts';
import { readNews } from '../../../src/sidecar/webhooks/events.ts';
import { RETRY_AFTER_MS, WEBHOOK_LIMITS } from '../../../src/sidecar/webhooks/webhook.ts';
import { sqliteWebhooks } from '../../../src/sidecar/webhooks/webhook-databases.ts';
import { WebhookStore } from '../../../src/sidecar/webhooks/webhook-store.ts';
import { dataFile, publishTiny, timeOf } from '../../release/publish-tiny.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';
import { ECONOMIST, GOVERNMENT, type TinyKeyServices, tinyKeyServices } from '../keys/tiny-key-services.ts';
import { tinyApp } from '../tiny-app.ts';
import { type Receiver, startReceiver, WILLING } from './receiver.ts';

const BASE_URL = 'https://data.example.org';

interface World {
  services: TinyKeyServices;
  key: string;
  keyId: string;
  call: (
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: unknown,
    key?: string | null,
  ) => Promise<Called>;
  subscribe: (receiver: Receiver, body?: object) => Promise<string>;
  publish: (events: number, content?: Content) => Promise<void>;
  /** A server that sends, as one of several over the same store. */
  dispatcher: () => WebhookDispatcher;
  /** Sends what is due now, and waits until it has arrived or failed. */
  run: () => Promise<void>;
}

interface Called {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: any document
  body: any;
  headers: Record<string, unknown>;
}

interface Content {
  minting?: boolean;
  alerts?: string[];
  decisions?: string[];
}

const MINUTE = 60_000;

async function newWorld(): Promise<World> {
  const [out, folder] = [await temporaryFolder(), await temporaryFolder()];
  const services = await tinyKeyServices();
  const { now } = services;
  const store = new WebhookStore(sqliteWebhooks(join(folder, 'webhooks.db')));
  onTestFinished(() => store.close());
  const publish = async (events: number, content: Content = {}) => {
    await publishTiny(out, {
      events,
      extra: (staging) => writeContent(events, content, (file) => staging.write(file)),
    });
  };
  await publish(10, { minting: true, alerts: ['old'] });
  const { app } = await tinyApp(out, {
    services: { keys: services.store, now, webhooks: { store, keys: services.store, allowPrivate: true } },
  });
  const { key, record } = await issueKey(ECONOMIST, services);
  const call: World['call'] = async (method, path, body, own = key) => {
    const headers = {
      ...(own !== null && { authorization: `Bearer ${own}` }),
      'content-type': 'application/json',
    };
    const payload = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await app.inject({
      method,
      url: path,
      headers,
      ...(payload !== undefined && { payload }),
    });
    return {
      status: answer.statusCode,
      body: answer.body && JSON.parse(answer.body),
      headers: answer.headers,
    };
  };
  const subscribe: World['subscribe'] = async (receiver, more = {}) => {
    const { status, body } = await call('POST', '/webhooks', { url: receiver.url, ...more });
    expect(status, JSON.stringify(body)).toBe(201);
    receiver.secret = body.secret;
    receiver.heard.length = 0;
    return body.id;
  };
  const dispatcher = () => {
    const releases = new Releases(out, (error) => expect.unreachable(String(error)));
    const one = new WebhookDispatcher({
      store,
      keys: services.store,
      allowPrivate: true,
      now,
      jitter: () => 0.5,
      report: (error) => {
        throw error;
      },
      release: async () => {
        const release = await releases.current();
        return release && { id: release.id, news: () => readNews(release, BASE_URL) };
      },
    });
    onTestFinished(() => one.close());
    return one;
  };
  const first = dispatcher();
  const run = async () => {
    await first.turn();
    await first.idle();
  };
  await run();
  return { services, key: key!, keyId: record.id, call, subscribe, publish, dispatcher, run };
}

async function writeContent(
  events: number,
  { minting = true, alerts = [], decisions = [] }: Content,
  write: (file: ReturnType<typeof dataFile>) => Promise<unknown>,
): Promise<void> {
  const timestamp = timeOf(events);
  const change =
    (kind: string) =>
    (id: string): Change => ({
      id: `${kind}/${id}`,
      title: `About ${id}`,
      summary: 'x'.repeat(2000),
      updated: timestamp,
      path: `${kind}s/${id}/`,
    });
  const mii = {
    timestamp,
    mii: minting ? 0.96 : 0.9,
    threshold: 0.92,
    minting_active: minting,
    cycle: 'C-1',
  };
  const options = { baseUrl: BASE_URL, author: 'Cathedral Data Service' };
  await write(dataFile('economy/mii', JSON.stringify(mii)));
  for (const [area, changes] of [
    ['government', alerts.map(change('alert'))],
    ['philosophy', [...decisions.map(change('decision')), change('deliberation')('d')]],
  ] as const) {
    const feed = areaFeed(area);
    await write(
      dataFile(`${feed.path}.json`, formatJsonFeed(feed, changes, options), { kind: 'schema', area: null }),
    );
  }
}

describe('a subscription', () => {
  test('is made for a receiver that answers the challenge, and its secret is shown once', async () => {
    const { call } = await newWorld();
    const receiver = await startReceiver(WILLING);
    const made = await call('POST', '/webhooks', { url: receiver.url, types: ['alert.raised'] });
    expect(made.status).toBe(201);
    expect(made.headers).toMatchObject({
      'cache-control': 'no-store',
      location: `/webhooks/${made.body.id}`,
    });
    const { secret, ...described } = made.body;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(described).toMatchObject({
      url: receiver.url,
      types: ['alert.raised'],
      status: 'active',
      disabled_for: null,
    });
    expect((await call('GET', '/webhooks')).body).toEqual({ webhooks: [described] });
    expect((await call('GET', `/webhooks/${described.id}`)).body).toEqual(described);
    expect((await call('DELETE', `/webhooks/${described.id}`)).status).toBe(204);
    expect((await call('GET', `/webhooks/${described.id}`)).body.code).toBe('not_found');
  });

  test('needs a valid key, and is seen by nobody else’s', async () => {
    const { call, services, subscribe, keyId } = await newWorld();
    const id = await subscribe(await startReceiver(WILLING));
    const { key: other } = await issueKey({ ...GOVERNMENT, deliver: 'print' }, services);
    expect((await call('GET', '/webhooks', undefined, null)).body.code).toBe('key_required');
    expect((await call('GET', '/webhooks', undefined, 'cds_economy_x')).body.code).toBe('invalid_token');
    expect((await call('GET', '/webhooks', undefined, other)).body).toEqual({ webhooks: [] });
    expect((await call('DELETE', `/webhooks/${id}`, undefined, other)).status).toBe(404);
    expect((await call('GET', '/webhooks?a=b')).body.code).toBe('unknown_parameter');
    // A rotated key has what its predecessor had.
    const { key: next } = await rotateKey({ id: keyId, deliver: 'print' }, services);
    expect((await call('GET', '/webhooks', undefined, next)).body.webhooks).toHaveLength(1);
  });

  test('is refused for a wrong request, and for a receiver that does not answer the challenge', async () => {
    const { call } = await newWorld();
    const refusals = [
      ['{', /JSON/],
      [{}, /url: expected/],
      [{ url: 'http://ada@127.0.0.1/' }, /user name/],
      [{ url: 'https://example.org/', types: ['all'] }, /types/],
      [{ url: 'https://example.org/', types: [] }, /types/],
      [{ url: 'https://example.org/', more: 1 }, /more/],
    ] as const;
    for (const [body, detail] of refusals)
      expect((await call('POST', '/webhooks', body)).body).toMatchObject({
        code: 'invalid_webhook',
        detail: expect.stringMatching(detail),
      });
    const echo = await startReceiver((_, response, body) => void response.end(body));
    const silent = await startReceiver((_, response) => void response.end());
    for (const { url } of [echo, silent, { url: 'http://127.0.0.1:9/' }])
      expect((await call('POST', '/webhooks', { url })).body.detail).toContain('has to answer the challenge');
    expect((await call('GET', '/webhooks')).body).toEqual({ webhooks: [] });
  });

  test('is one of a few, and a key has no more challenges sent than are allowed', async () => {
    const { call, subscribe } = await newWorld();
    const receiver = await startReceiver(WILLING);
    for (let n = 0; n < WEBHOOK_LIMITS.perKey; n += 1) await subscribe(receiver);
    expect((await call('POST', '/webhooks', { url: receiver.url })).body.code).toBe('webhook_limit');
    const [{ id }] = (await call('GET', '/webhooks')).body.webhooks;
    await call('DELETE', `/webhooks/${id}`);
    receiver.answer = (_, response) => void response.end();
    receiver.heard.length = 0;
    const left = WEBHOOK_LIMITS.challengesPerDay - WEBHOOK_LIMITS.perKey;
    for (let n = 0; n <= left; n += 1) await call('POST', '/webhooks', { url: receiver.url });
    expect(receiver.heard).toHaveLength(left);
  });

  test('can be tested, and its log says what came of it', async () => {
    const { call, subscribe, run } = await newWorld();
    const receiver = await startReceiver(WILLING);
    const id = await subscribe(receiver);
    receiver.answer = (_, response) => void response.writeHead(500).end('out of order');
    const { status, body } = await call('POST', `/webhooks/${id}/test`);
    expect(status).toBe(202);
    expect((await call('POST', `/webhooks/${id}/test`)).body.code).toBe('webhook_limit');
    await run();
    expect(receiver.heard).toMatchObject([{ id: body.id, type: 'webhook.test', isSigned: true }]);
    const log = (await call('GET', `/webhooks/${id}/deliveries`)).body;
    expect(log.attempts).toMatchObject([{ event: body.id, status: 500, error: 'status 500: out of order' }]);
    expect(log.waiting).toMatchObject([{ event: body.id, failures: 1, next_at: '2026-03-02T09:00:05Z' }]);
  });
});

describe('the events of a release', () => {
  test('are announced once, signed, to those who asked for them before', async () => {
    const { subscribe, publish, run, dispatcher } = await newWorld();
    const [all, some] = [await startReceiver(WILLING), await startReceiver(WILLING)];
    await subscribe(all);
    await subscribe(some, { types: ['alert.raised'] });
    await publish(20, { minting: false, alerts: ['new', 'old'], decisions: ['one'] });
    // Several servers, and one that was started since.
    await Promise.all([run(), dispatcher().turn(), dispatcher().turn()]);
    await run();
    while (all.heard.length < 4 || some.heard.length < 1) await run();
    await run();
    expect(all.heard.map(({ type }) => type).toSorted()).toEqual([
      'alert.raised',
      'decision.recorded',
      'release.published',
      'threshold.crossed',
    ]);
    expect(some.heard.map(({ body }) => JSON.parse(body))).toMatchObject([
      {
        type: 'alert.raised',
        timestamp: timeOf(20),
        data: { id: 'alert/new', title: 'About new', url: `${BASE_URL}/alerts/new/` },
      },
    ]);
    for (const { isSigned, id, body } of [...all.heard, ...some.heard]) {
      expect(isSigned).toBe(true);
      expect(id).toMatch(/^msg_[0-9a-f]{32}$/);
      expect(body.length).toBeLessThan(2000);
    }
    const crossed = all.heard.find(({ type }) => type === 'threshold.crossed')!;
    expect(JSON.parse(crossed.body).data).toMatchObject({ mii: 0.9, threshold: 0.92, minting_active: false });
    // The same once more, and a release without any of them.
    await publish(30, { minting: false, alerts: ['new'], decisions: ['one'] });
    await run();
    while (all.heard.length < 5) await run();
    expect(all.heard.slice(4).map(({ type }) => type)).toEqual(['release.published']);
    expect(some.heard).toHaveLength(1);
  });

  test('reach a receiver that failed, with the same id, after the waits of the specification, over restarts', async () => {
    const { services, subscribe, publish, dispatcher } = await newWorld();
    const receiver = await startReceiver(WILLING);
    await subscribe(receiver);
    const { turn } = {
      turn: async () => {
        const server = dispatcher();
        await server.turn();
        await server.idle();
        await server.close();
      },
    };
    receiver.answer = (_, response) => void response.writeHead(503).end();
    await publish(20);
    await turn();
    for (const wait of RETRY_AFTER_MS.slice(0, 3)) {
      services.clock.now += wait - 1;
      const before = receiver.heard.length;
      await turn();
      expect(receiver.heard).toHaveLength(before);
      services.clock.now += 1;
      if (wait === RETRY_AFTER_MS[2]) receiver.answer = WILLING;
      await turn();
      expect(receiver.heard).toHaveLength(before + 1);
    }
    services.clock.now += 10 * RETRY_AFTER_MS[8];
    await turn();
    expect(receiver.heard).toHaveLength(4);
    expect(new Set(receiver.heard.map(({ id }) => id)).size).toBe(1);
    expect(receiver.heard.every(({ isSigned }) => isSigned)).toBe(true);
  });

  test('that a stopping server had on its way are sent by the next one', async () => {
    const { subscribe, publish, dispatcher, call } = await newWorld();
    const { promise: reached, resolve } = Promise.withResolvers<void>();
    const receiver = await startReceiver(WILLING);
    const id = await subscribe(receiver);
    receiver.answer = () => resolve();
    await publish(20);
    const server = dispatcher();
    await server.turn();
    await reached;
    await server.close();
    receiver.answer = WILLING;
    const next = dispatcher();
    await next.turn();
    await next.idle();
    expect(receiver.heard).toHaveLength(2);
    expect((await call('GET', `/webhooks/${id}/deliveries`)).body.attempts).toHaveLength(1);
  });

  test('end a subscription after three days, or at once where the receiver is gone', async () => {
    const { services, subscribe, publish, run, call } = await newWorld();
    const [failing, gone] = [await startReceiver(WILLING), await startReceiver(WILLING)];
    const failed = await subscribe(failing);
    const went = await subscribe(gone);
    failing.answer = (_, { socket }) => void socket!.destroy();
    gone.answer = (_, response) => void response.writeHead(410).end();
    await publish(20);
    await run();
    expect((await call('GET', `/webhooks/${went}`)).body).toMatchObject({
      status: 'disabled',
      disabled_for: 'The receiver answered 410 Gone.',
    });
    const began = services.clock.now;
    for (const wait of RETRY_AFTER_MS) {
      services.clock.now += wait;
      await run();
    }
    expect(services.clock.now - began).toBeGreaterThan(3 * 24 * 60 * MINUTE);
    expect(failing.heard).toHaveLength(RETRY_AFTER_MS.length + 1);
    expect((await call('GET', `/webhooks/${failed}`)).body.disabled_for).toMatch(
      /10 attempts over three days/,
    );
    expect((await call('POST', `/webhooks/${failed}/test`)).body.code).toBe('invalid_webhook');
  });

  test('reach others while one receiver hangs', async () => {
    const { subscribe, publish, dispatcher } = await newWorld();
    const [slow, quick] = [await startReceiver(WILLING), await startReceiver(WILLING)];
    await subscribe(slow);
    await subscribe(quick);
    slow.answer = () => undefined;
    await publish(20, { decisions: ['one', 'two', 'three'] });
    const server = dispatcher();
    await server.turn();
    while (quick.heard.length < 4) await new Promise((resolve) => setImmediate(resolve));
    expect(slow.heard).toHaveLength(1);
  });

  test('stop with the key, and go on with the one that it was rotated to', async () => {
    const { services, subscribe, publish, run, call, keyId } = await newWorld();
    const receiver = await startReceiver(WILLING);
    await subscribe(receiver);
    const { key: next, record } = await rotateKey({ id: keyId, deliver: 'print' }, services);
    services.clock.now += 20 * 24 * 60 * MINUTE;
    await publish(20);
    await run();
    expect(receiver.heard).toHaveLength(1);
    await services.store.revokeKey(record.id, services.clock.now, 'lost');
    await publish(30);
    await run();
    expect(receiver.heard).toHaveLength(1);
    expect((await call('GET', '/webhooks', undefined, next)).body.code).toBe('invalid_token');
  });
});
