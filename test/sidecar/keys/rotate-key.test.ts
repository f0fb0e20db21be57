import { describe, expect, test } from 'vitest';
import { DAY_MS } from '../../../src/api/tiers.ts';
import { issueKey } from '../../../src/sidecar/keys/issue-key.ts';
import { keyStatus } from '../../../src/sidecar/keys/key-status.ts';
import { hashKey } from '../../../src/sidecar/keys/key-text.ts';
import { revokeKey } from '../../../src/sidecar/keys/revoke-key.ts';
import { rotateKey } from '../../../src/sidecar/keys/rotate-key.ts';
import { requestVerification, verifyEmail } from '../../../src/sidecar/keys/verify-email.ts';
import { failureOf } from '../../release/temporary-folder.ts';
import { ACADEMIC, codeIn, ECONOMIST, GOVERNMENT, keyIn, NOW, tinyOffice } from './tiny-office.ts';

describe('a rotation', () => {
  test('gives a new key to the same holder, with all that was known', async () => {
    const office = await tinyOffice();
    const { record: old } = await issueKey(GOVERNMENT, office);
    office.clock.now += 80 * DAY_MS;
    const { key, record } = await rotateKey({ id: old.id }, office);
    const { holder, email, tier, areas, name, affiliation, purpose, volume, basis } = old;
    expect(record).toMatchObject({ holder, email, tier, areas, name, affiliation, purpose, volume, basis });
    expect(record).toMatchObject({ replaces: old.id, expiresAt: office.clock.now + 92 * DAY_MS });
    expect(record.hash).toBe(hashKey(key!));
    expect(record.hash).not.toBe(old.hash);
  });

  test('lets the old key end where it would have ended, if that is sooner', async () => {
    const office = await tinyOffice();
    const { record: old } = await issueKey(GOVERNMENT, office);
    office.clock.now += 80 * DAY_MS;
    await rotateKey({ id: old.id }, office);
    const after = await office.store.keyById(old.id);
    expect(after?.expiresAt).toBe(NOW + 92 * DAY_MS);
    expect(keyStatus(after!, NOW + 92 * DAY_MS - 1)).toBe('ending');
    expect(keyStatus(after!, NOW + 92 * DAY_MS)).toBe('expired');
  });

  test('by mail that fails leaves the old key as it was, and can be tried again', async () => {
    let works = false;
    const office = await tinyOffice(async () => (works ? undefined : Promise.reject(new Error('no'))));
    const { record: old } = await issueKey(ECONOMIST, office);
    await expect(rotateKey({ id: old.id }, office)).rejects.toThrow('no');
    expect(await office.store.keyById(old.id)).toEqual(old);
    works = true;
    await rotateKey({ id: old.id }, office);
    expect(await office.store.keyByHash(hashKey(keyIn(office.mails[0]!)))).toMatchObject({
      replaces: old.id,
    });
    expect((await office.store.keyById(old.id))?.expiresAt).toBe(NOW + 14 * DAY_MS);
  });

  test('of an academic key needs an address that is still verified', async () => {
    const office = await tinyOffice();
    await requestVerification({ email: ACADEMIC.email }, office);
    await verifyEmail({ email: ACADEMIC.email, code: codeIn(office.mails[0]!) }, office);
    office.clock.now += 30 * DAY_MS;
    const { record } = await issueKey(ACADEMIC, office);
    office.clock.now = NOW + 365 * DAY_MS;
    expect(await failureOf(() => rotateKey({ id: record.id }, office))).toMatchObject({
      code: 'key_refused',
    });
    await requestVerification({ email: ACADEMIC.email }, office);
    await verifyEmail({ email: ACADEMIC.email, code: codeIn(office.mails.at(-1)!) }, office);
    expect((await rotateKey({ id: record.id }, office)).record.replaces).toBe(record.id);
  });

  test('of a key that is over, replaced or unknown is refused, and says why', async () => {
    const office = await tinyOffice();
    const { record: replaced } = await issueKey(ECONOMIST, office);
    const { record: next } = await rotateKey({ id: replaced.id, deliver: 'print' }, office);
    const { record: revoked } = await issueKey(ECONOMIST, office);
    await revokeKey({ id: revoked.id, reason: 'lost' }, office);
    const { record: short } = await issueKey({ ...ECONOMIST, days: '1' }, office);
    office.clock.now += DAY_MS;
    const cases = [
      [replaced.id, `one that ${next.id} has replaced`],
      [revoked.id, 'one that is revoked'],
      [short.id, 'one that is expired'],
      ['k_000000000000', 'one that is unknown'],
    ] as const;
    for (const [id, found] of cases) {
      const failure = await failureOf(() => rotateKey({ id, deliver: 'print' }, office));
      expect(failure).toMatchObject({ code: 'key_refused', place: id, expected: 'an active key', found });
    }
  });

  test('may be for fewer days, never for more than the tier has', async () => {
    const office = await tinyOffice();
    const { record } = await issueKey(GOVERNMENT, office);
    const failure = await failureOf(() => rotateKey({ id: record.id, days: '93' }, office));
    expect(failure).toMatchObject({ code: 'usage', place: '--days', found: '93' });
    const { record: next } = await rotateKey({ id: record.id, days: '30' }, office);
    expect(next.expiresAt).toBe(NOW + 30 * DAY_MS);
  });
});

describe('a revocation', () => {
  test('takes one key of a holder, and leaves the others', async () => {
    const office = await tinyOffice();
    const { record: one } = await issueKey(ECONOMIST, office);
    const { record: two } = await issueKey(ECONOMIST, office);
    expect(await revokeKey({ id: one.id, reason: 'lost' }, office)).toMatchObject({
      revokedAt: NOW,
      revokedFor: 'lost',
    });
    expect((await office.store.keyById(two.id))?.revokedAt).toBeNull();
  });

  test('finds a leaked key by its text', async () => {
    const office = await tinyOffice();
    const { key, record } = await issueKey(ECONOMIST, office);
    expect(await revokeKey({ leaked: key!, reason: 'found in a repository' }, office)).toMatchObject({
      id: record.id,
    });
  });

  test.each([
    [{}, '--reason'],
    [{ reason: 'lost' }, '--id'],
    [
      { reason: 'lost', id: 'k_000000000000', leaked: 'cds_economy_000000000000000000000000000043_00X9jD' },
      '--id',
    ],
    [{ reason: 'lost', id: '1' }, '--id'],
    [{ reason: 'lost', leaked: 'cds_economy_000000000000000000000000000043_00X9jE' }, '--leaked'],
    [{ reason: '', id: 'k_000000000000' }, '--reason'],
  ])('of %j is wrong use', async (args, place) => {
    const failure = await failureOf(async () => revokeKey(args, await tinyOffice()));
    expect(failure).toMatchObject({ code: 'usage', place });
    expect(failure.message).not.toContain('00000000000043');
  });

  test('of an unknown or a revoked key is refused', async () => {
    const office = await tinyOffice();
    const { key, record } = await issueKey(ECONOMIST, office);
    await revokeKey({ id: record.id, reason: 'lost' }, office);
    expect(await failureOf(() => revokeKey({ leaked: key!, reason: 'again' }, office))).toMatchObject({
      code: 'key_refused',
      place: record.id,
      found: 'a revoked one',
    });
    const leaked = 'cds_economy_000000000000000000000000000043_00X9jD';
    const failure = await failureOf(() => revokeKey({ leaked, reason: 'lost' }, office));
    expect(failure).toMatchObject({ code: 'key_refused', place: '--leaked', found: 'none' });
  });
});
