import { describe, expect, test } from 'vitest';
import { DAY_MS } from '../../../pipeline/words/day.ts';
import { issueKey } from '../../../src/sidecar/keys/issue-key.ts';
import { keyStatus } from '../../../src/sidecar/keys/key-status.ts';
import { hashKey } from '../../../src/sidecar/keys/key-text.ts';
import { revokeKey } from '../../../src/sidecar/keys/revoke-key.ts';
import { rotateKey } from '../../../src/sidecar/keys/rotate-key.ts';
import { requestVerification, verifyEmail } from '../../../src/sidecar/keys/verify-email.ts';
import { failureOf } from '../../release/temporary-folder.ts';
import { ACADEMIC, codeIn, ECONOMIST, GOVERNMENT, keyIn, NOW, tinyKeyServices } from './tiny-key-services.ts';

describe('a rotation', () => {
  test('gives a new key to the same holder, with all that was known', async () => {
    const services = await tinyKeyServices();
    const { record: old } = await issueKey(GOVERNMENT, services);
    services.clock.now += 80 * DAY_MS;
    const { key, record } = await rotateKey({ id: old.id }, services);
    const { holder, email, tier, areas, name, affiliation, purpose, volume, basis } = old;
    expect(record).toMatchObject({ holder, email, tier, areas, name, affiliation, purpose, volume, basis });
    expect(record).toMatchObject({ replaces: old.id, expiresAt: services.clock.now + 92 * DAY_MS });
    expect(record.hash).toBe(hashKey(key!));
    expect(record.hash).not.toBe(old.hash);
  });

  test('lets the old key end where it would have ended, if that is sooner', async () => {
    const services = await tinyKeyServices();
    const { record: old } = await issueKey(GOVERNMENT, services);
    services.clock.now += 80 * DAY_MS;
    await rotateKey({ id: old.id }, services);
    const after = await services.store.keyById(old.id);
    expect(after?.expiresAt).toBe(NOW + 92 * DAY_MS);
    expect(keyStatus(after!, NOW + 92 * DAY_MS - 1)).toBe('ending');
    expect(keyStatus(after!, NOW + 92 * DAY_MS)).toBe('expired');
  });

  test('by mail that fails leaves the old key as it was, and can be tried again', async () => {
    let works = false;
    const services = await tinyKeyServices(async () => (works ? undefined : Promise.reject(new Error('no'))));
    const { record: old } = await issueKey(ECONOMIST, services);
    await expect(rotateKey({ id: old.id }, services)).rejects.toThrow('no');
    expect(await services.store.keyById(old.id)).toEqual(old);
    works = true;
    await rotateKey({ id: old.id }, services);
    expect(await services.store.keyByHash(hashKey(keyIn(services.mails[0]!)))).toMatchObject({
      replaces: old.id,
    });
    expect((await services.store.keyById(old.id))?.expiresAt).toBe(NOW + 14 * DAY_MS);
  });

  test('of an academic key needs an address that is still verified', async () => {
    const services = await tinyKeyServices();
    await requestVerification({ email: ACADEMIC.email }, services);
    await verifyEmail({ email: ACADEMIC.email, code: codeIn(services.mails[0]!) }, services);
    services.clock.now += 30 * DAY_MS;
    const { record } = await issueKey(ACADEMIC, services);
    services.clock.now = NOW + 365 * DAY_MS;
    expect(await failureOf(() => rotateKey({ id: record.id }, services))).toMatchObject({
      code: 'key_refused',
    });
    await requestVerification({ email: ACADEMIC.email }, services);
    await verifyEmail({ email: ACADEMIC.email, code: codeIn(services.mails.at(-1)!) }, services);
    expect((await rotateKey({ id: record.id }, services)).record.replaces).toBe(record.id);
  });

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
