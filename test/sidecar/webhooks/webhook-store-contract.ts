import { describe, expect, test } from 'vitest';
import {
  type Announced,
  RETRY_AFTER_MS,
  WEBHOOK_LIMITS,
  type Webhook,
  type WebhookEvent,
} from '../../../src/sidecar/webhooks/webhook.ts';
import type { WebhookStore } from '../../../src/sidecar/webhooks/webhook-store.ts';

const NOW = Date.UTC(2026, 2, 2, 9);
const FIRST: Announced = { release: 'r1', asOf: '2026-03-02T06:00:00Z', minting: true };
const SECOND: Announced = { release: 'r2', asOf: '2026-03-02T08:00:00Z', minting: false };

export function newWebhook(id: string, changes: Partial<Webhook> = {}): Webhook {
  return {
    id,
    keyId: 'k_a',
    url: `https://receiver.example/${id}`,
    types: ['release.published', 'decision.recorded'],
    secret: 'whsec_AAAA',
    createdAt: NOW,
    disabledAt: null,
    disabledFor: null,
    ...changes,
  };
}

function newEvent(id: string, type: WebhookEvent['type'] = 'release.published'): WebhookEvent {
  return { id: `msg_${id}`, type, body: `{"type":"${type}","of":"${id}"}` };
}

const attempt = (at: number, status: number | null = 500) => ({
  at,
  status,
  ms: 7,
  error: status === 200 ? null : 'no',
});

/** What every engine holds. `openAll` gives three stores over one empty storage, as three servers have. */
export function describeWebhookStore(engine: string, openAll: () => Promise<readonly WebhookStore[]>): void {
  /** With a release that was announced before. */
  const openStarted = async () => {
    const stores = await openAll();
    await stores[0]!.announce(FIRST, () => [newEvent('old')], NOW);
    return stores;
  };
  const announceOne = (store: WebhookStore, event: WebhookEvent, release = `r-${event.id}`) =>
    store.announce({ ...SECOND, release }, () => [event], NOW);

  describe(`${engine}: webhooks`, () => {
    test('are listed by key, oldest first, up to a limit that holds for requests at once', async () => {
      const stores = await openAll();
      const add = (id: string, at: number, keyId = 'k_a') =>
        stores[at % 3]!.add(newWebhook(id, { keyId, createdAt: NOW - at }), ['k_a', 'k_b'], 3);
      expect(await add('w_0', 0, 'k_b')).toBe('added');
      const results = await Promise.all([1, 2, 3, 4].map((n) => add(`w_${n}`, n)));
      expect(results.toSorted()).toEqual(['added', 'added', 'too_many', 'too_many']);
      const listed = await stores[1]!.of(['k_a', 'k_b']);
      expect(listed.map(({ createdAt }) => createdAt)).toEqual(
        listed.map(({ createdAt }) => createdAt).toSorted(),
      );
      expect(listed.at(-1)).toEqual(newWebhook('w_0', { keyId: 'k_b' }));
      expect(await stores[2]!.of(['k_b'])).toHaveLength(1);
      expect(await stores[0]!.of(['k_c'])).toEqual([]);
    });

    test('get what happens after they were made, of their types, once for however many servers announce it', async () => {
      const [one, two, three] = (await openStarted()) as [WebhookStore, WebhookStore, WebhookStore];
      await one.add(newWebhook('w_1'), ['k_a'], 5);
      await one.add(newWebhook('w_2', { types: ['alert.raised'] }), ['k_a'], 5);
      const seen: Announced[] = [];
      const news = (before: Announced) => {
        seen.push(before);
        return [newEvent('old'), newEvent('new'), newEvent('alert', 'alert.raised')];
      };
      const counts = await Promise.all([one, two, three].map((store) => store.announce(SECOND, news, NOW)));
      expect(counts.toSorted()).toEqual([0, 0, 2]);
      expect(seen).toEqual([FIRST]);
      // A server that is late, or one that goes back, tells nothing.
      expect(await two.announce(FIRST, news, NOW)).toBe(0);
      await one.add(newWebhook('w_3'), ['k_a'], 5);
      expect(await three.announce({ ...SECOND, release: 'r3' }, news, NOW)).toBe(0);
      const claimed = await two.claim(NOW, 10, 'c');
      expect(claimed.map(({ webhook, event }) => `${webhook.id} ${event.id}`).toSorted()).toEqual([
        'w_1 msg_new',
        'w_2 msg_alert',
      ]);
      expect(await one.counts()).toEqual({ active: 3, disabled: 0, waiting: 2, oldest: NOW });
    });

    test('are claimed by one server, one delivery at a time, and by another one after a kill', async () => {
      const stores = await openStarted();
      const [one, two] = stores as [WebhookStore, WebhookStore];
      for (const id of ['w_1', 'w_2', 'w_3', 'w_4']) await one.add(newWebhook(id), ['k_a'], 5);
      for (const id of ['a', 'b']) await announceOne(one, newEvent(id));
      const claimed = await Promise.all(stores.map((store, index) => store.claim(NOW, 3, `c${index}`)));
      const all = claimed.flat();
      expect(all.map(({ webhook }) => webhook.id).toSorted()).toEqual(['w_1', 'w_2', 'w_3', 'w_4']);
      expect(new Set(all.map(({ event }) => event.id))).toEqual(new Set(['msg_a']));
      expect(await two.claim(NOW + WEBHOOK_LIMITS.claimMs - 1, 9, 'c')).toEqual([]);
      // Whoever claimed them was killed.
      const again = await two.claim(NOW + WEBHOOK_LIMITS.claimMs, 9, 'later');
      expect(again).toHaveLength(4);
      // The first one was only paused: its failure changes nothing, its success counts.
      const [late, lateToo] = all;
      await one.finish(late!, attempt(NOW), { kind: 'disable', why: 'late' });
      await one.finish(lateToo!, attempt(NOW, 200), { kind: 'delivered' });
      expect((await one.all()).every(({ disabledAt }) => disabledAt === null)).toBe(true);
      expect((await one.counts()).waiting).toBe(7);
    });

    test('are tried again when it is time, and have a log', async () => {
      const [store] = (await openStarted()) as [WebhookStore];
      await store.add(newWebhook('w_1'), ['k_a'], 5);
      await announceOne(store, newEvent('a'));
      const [first] = await store.claim(NOW, 9, 'c1');
      expect(first).toEqual({ webhook: newWebhook('w_1'), event: newEvent('a'), failures: 0, claim: 'c1' });
      await store.finish(first!, attempt(NOW), { kind: 'retry', at: NOW + RETRY_AFTER_MS[0] });
      expect(await store.claim(NOW, 9, 'c2')).toEqual([]);
      expect((await store.log('w_1', 9)).waiting).toEqual([
        { event: 'msg_a', type: 'release.published', failures: 1, nextAt: NOW + RETRY_AFTER_MS[0] },
      ]);
      const [second] = await store.claim(NOW + RETRY_AFTER_MS[0], 9, 'c3');
      expect(second!.failures).toBe(1);
      await store.release(second!);
      const [third] = await store.claim(NOW + RETRY_AFTER_MS[0], 9, 'c4');
      await store.finish(third!, attempt(NOW + 9000, 200), { kind: 'delivered' });
      const logged = { event: 'msg_a', type: 'release.published', ms: 7 };
      expect(await store.log('w_1', 9)).toEqual({
        attempts: [
          { ...logged, at: NOW + 9000, status: 200, error: null },
          { ...logged, at: NOW, status: 500, error: 'no' },
        ],
        waiting: [],
      });
    });

    test('end with a reason and get nothing more, and disappear with what they had', async () => {
      const [store] = (await openStarted()) as [WebhookStore];
      for (const id of ['w_1', 'w_2']) await store.add(newWebhook(id), ['k_a'], 5);
      await announceOne(store, newEvent('a'));
      const claimed = await store.claim(NOW, 9, 'c');
      await store.finish(claimed.find(({ webhook }) => webhook.id === 'w_1')!, attempt(NOW, 410), {
        kind: 'disable',
        why: 'gone',
      });
      await store.disable('w_2', NOW + 1, 'revoked');
      expect((await store.all()).map(({ disabledAt, disabledFor }) => [disabledAt, disabledFor])).toEqual(
        expect.arrayContaining([
          [NOW, 'gone'],
          [NOW + 1, 'revoked'],
        ]),
      );
      await announceOne(store, newEvent('b'));
      expect(await store.counts()).toEqual({ active: 0, disabled: 2, waiting: 0, oldest: null });
      expect([await store.remove('w_1'), await store.remove('w_1')]).toEqual([true, false]);
      await store.prune(NOW + WEBHOOK_LIMITS.disabledMs + 2);
      expect(await store.all()).toEqual([]);
      expect((await store.log('w_1', 9)).attempts).toEqual([]);
      // What was announced is known for good.
      expect(await announceOne(store, newEvent('a'), 'r9')).toBe(0);
    });

    test('wait where they have had the requests of a day, and get one test at a time', async () => {
      const [store] = (await openStarted()) as [WebhookStore];
      await store.add(newWebhook('w_1'), ['k_a'], 5);
      expect(await store.addTest('w_1', newEvent('t', 'webhook.test'), NOW)).toBe(true);
      expect(await store.addTest('w_1', newEvent('u', 'webhook.test'), NOW)).toBe(false);
      const [delivery] = await store.claim(NOW, 9, 'c');
      for (let n = 0; n < WEBHOOK_LIMITS.attemptsPerDay; n += 1)
        await store.finish(delivery!, attempt(NOW), { kind: 'retry', at: NOW });
      expect(await store.claim(NOW, 9, 'd')).toEqual([]);
      expect(await store.claim(NOW + 86_400_000, 9, 'e')).toHaveLength(1);
      const challenges = await Promise.all([1, 2, 3].map(() => store.countChallenge('k_a', NOW, 2)));
      expect(challenges.toSorted()).toEqual([false, true, true]);
    });
  });
}
