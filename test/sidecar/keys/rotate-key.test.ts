import { describe, expect, test } from 'vitest';
import { DAY_MS } from '../../../pipeline/words/day.ts';
import { issueKey } from '../../../src/sidecar/keys/issue-key.ts';
import { revokeKey } from '../../../src/sidecar/keys/revoke-key.ts';
import { rotateKey } from '../../../src/sidecar/keys/rotate-key.ts';
import { failureOf } from '../../release/temporary-folder.ts';
import { ECONOMIST, GOVERNMENT, NOW, tinyKeyServices } from './tiny-key-services.ts';

describe('a rotation', () => {
  test('of a key that is over, replaced or unknown is refused, and says why', async () => {
    const services = await tinyKeyServices();
    const { record: replaced } = await issueKey(ECONOMIST, services);
    const { record: next } = await rotateKey({ id: replaced.id, deliver: 'print' }, services);
    const { record: revoked } = await issueKey(ECONOMIST, services);
    await revokeKey({ id: revoked.id, reason: 'lost' }, services);
    const { record: short } = await issueKey({ ...ECONOMIST, days: '1' }, services);
    services.clock.now += DAY_MS;
    const cases = [
      [replaced.id, `one that ${next.id} replaced`],
      [revoked.id, 'one that is revoked'],
      [short.id, 'one that is expired'],
      ['k_000000000000', 'one that is unknown'],
    ] as const;
    for (const [id, found] of cases) {
      const failure = await failureOf(() => rotateKey({ id, deliver: 'print' }, services));
      expect(failure).toMatchObject({ code: 'key_refused', place: id, expected: 'an active key', found });
    }
  });

  test('may be for fewer days, never for more than the tier has', async () => {
    const services = await tinyKeyServices();
    const { record } = await issueKey(GOVERNMENT, services);
    const failure = await failureOf(() => rotateKey({ id: record.id, days: '93' }, services));
    expect(failure).toMatchObject({ code: 'usage', place: '--key-days', found: '93' });
    const { record: next } = await rotateKey({ id: record.id, days: '30' }, services);
    expect(next.expiresAt).toBe(NOW + 30 * DAY_MS);
  });
});

describe('a revocation', () => {
  test('takes one key of a holder, and leaves the others', async () => {
    const services = await tinyKeyServices();
    const { record: one } = await issueKey(ECONOMIST, services);
    const { record: two } = await issueKey(ECONOMIST, services);
    expect(await revokeKey({ id: one.id, reason: 'lost' }, services)).toMatchObject({
      revokedAt: NOW,
      revokedFor: 'lost',
    });
    expect((await services.store.keyById(two.id))?.revokedAt).toBeNull();
  });

  test('finds a leaked key by its text', async () => {
    const services = await tinyKeyServices();
    const { key, record } = await issueKey(ECONOMIST, services);
    expect(await revokeKey({ leaked: key!, reason: 'found in a repository' }, services)).toMatchObject({
      id: record.id,
    });
  });

  test.each([
    [{}, '--reason'],
    [{ reason: 'lost' }, '--key-id'],
    [
      { reason: 'lost', id: 'k_000000000000', leaked: 'cds_economy_000000000000000000000000000043_00X9jD' },
      '--key-id',
    ],
    [{ reason: 'lost', id: '1' }, '--key-id'],
    [{ reason: 'lost', leaked: 'cds_economy_000000000000000000000000000043_00X9jE' }, '--leaked'],
    [{ reason: '', id: 'k_000000000000' }, '--reason'],
  ])('of %j is wrong use', async (args, place) => {
    const failure = await failureOf(async () => revokeKey(args, await tinyKeyServices()));
    expect(failure).toMatchObject({ code: 'usage', place });
    expect(failure.message).not.toContain('00000000000043');
  });

  test('of an unknown or a revoked key is refused', async () => {
    const services = await tinyKeyServices();
    const { key, record } = await issueKey(ECONOMIST, services);
    await revokeKey({ id: record.id, reason: 'lost' }, services);
    expect(await failureOf(() => revokeKey({ leaked: key!, reason: 'again' }, services))).toMatchObject({
      code: 'key_refused',
      place: record.id,
      found: 'a revoked one',
    });
    const leaked = 'cds_economy_000000000000000000000000000043_00X9jD';
    const failure = await failureOf(() => revokeKey({ leaked, reason: 'lost' }, services));
    expect(failure).toMatchObject({ code: 'key_refused', place: '--leaked', found: 'none' });
  });
});
