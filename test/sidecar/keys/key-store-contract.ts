import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { DAY_MS } from '../../../pipeline/words/day.ts';
import type { KeyStore, NewKey, Verification } from '../../../src/sidecar/keys/key-store.ts';

const NOW = Date.UTC(2026, 2, 2, 9);
const QUOTA = { since: NOW - DAY_MS, perAddress: 3, total: 5 };

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A key in force, with what a test wants otherwise. */
export function newKey(id: string, changes: Partial<NewKey> = {}): NewKey {
  return {
    id,
    holder: `h_${id}`,
    email: 'ada@example.edu',
    hash: sha256(id),
    prefix: 'cds_economy_Ab3d',
    tier: 'economist',
    areas: ['economy'],
    name: 'Ada Quill',
    affiliation: 'Institute of Measures',
    purpose: 'A paper on minting',
    volume: '500 requests a day',
    basis: 'staff page',
    issuedAt: NOW,
    expiresAt: NOW + 100 * DAY_MS,
    deliveredAt: NOW,
    replaces: null,
    ...changes,
  };
}

function newCode(id: string, changes: Partial<Verification> = {}): Verification {
  const email = 'ada@example.edu';
  return { id, email, codeHash: sha256(id), createdAt: NOW, expiresAt: NOW + DAY_MS, ...changes };
}

/** What every engine of KeyStore holds. `openAll` gives three for one empty storage, as three programs have. */
export function describeKeyStore(engine: string, openAll: () => Promise<readonly KeyStore[]>): void {
  const open = async () => (await openAll())[0]!;

  describe(`${engine}: keys`, () => {
    test('are found by hash and by id as they were added', async () => {
      const store = await open();
      const key = newKey('a', { areas: ['economy', 'academics'], tier: 'institutional', volume: null });
      expect(await store.addKey(key)).toBe(true);
      const fresh = { revokedAt: null, revokedFor: null, notifiedAt: null, replacedBy: null };
      expect(await store.keyByHash(key.hash)).toEqual({ ...key, ...fresh });
      expect(await store.keyById('a')).toEqual({ ...key, ...fresh });
    });

    test('that nobody added are not found', async () => {
      const store = await open();
      await store.addKey(newKey('a'));
      expect(await store.keyByHash(sha256('b'))).toBeNull();
      expect(await store.keyById('b')).toBeNull();
    });

    test('of one address have one holder, of two addresses two', async () => {
      const store = await open();
      await store.addKey(newKey('a', { holder: 'h_first' }));
      await store.addKey(newKey('b', { holder: 'h_second' }));
      await store.addKey(newKey('c', { holder: 'h_third', email: 'bo@example.org' }));
      expect((await store.keyById('b'))?.holder).toBe('h_first');
      expect((await store.keyById('c'))?.holder).toBe('h_third');
    });

    test('keep what the applicant stated for each of them', async () => {
      const store = await open();
      await store.addKey(newKey('a', { affiliation: 'One' }));
      await store.addKey(newKey('b', { affiliation: 'Two' }));
      expect((await store.keyById('a'))?.affiliation).toBe('One');
      expect((await store.keyById('b'))?.affiliation).toBe('Two');
    });

    test('are listed newest first, those of one instant by id', async () => {
      const store = await open();
      await store.addKey(newKey('c'));
      await store.addKey(newKey('b'));
      await store.addKey(newKey('a', { issuedAt: NOW - 1 }));
      await store.addKey(newKey('d', { issuedAt: NOW + 1 }));
      expect((await store.keys()).map(({ id }) => id)).toEqual(['d', 'b', 'c', 'a']);
    });
  });

  describe(`${engine}: a revocation`, () => {
    test('is seen by the next look', async () => {
      const store = await open();
      await store.addKey(newKey('a'));
      expect(await store.revokeKey('a', NOW + 5, 'lost')).toBe(true);
      expect(await store.keyByHash(sha256('a'))).toMatchObject({ revokedAt: NOW + 5, revokedFor: 'lost' });
    });

    test('stays the first one', async () => {
      const store = await open();
      await store.addKey(newKey('a'));
      await store.revokeKey('a', NOW + 5, 'lost');
      expect(await store.revokeKey('a', NOW + 9, 'again')).toBe(false);
      expect(await store.keyById('a')).toMatchObject({ revokedAt: NOW + 5, revokedFor: 'lost' });
    });

    test('of an unknown key changes nothing', async () => {
      const store = await open();
      await store.addKey(newKey('a'));
      expect(await store.revokeKey('b', NOW, 'lost')).toBe(false);
      expect((await store.keyById('a'))?.revokedAt).toBeNull();
    });
  });

  describe(`${engine}: a successor`, () => {
    const next = (id: string) => newKey(id, { replaces: 'a', deliveredAt: null });

    test('lets the key of before end only when it is delivered', async () => {
      const store = await open();
      await store.addKey(newKey('a'));
      await store.addKey(next('b'));
      expect(await store.keyById('a')).toMatchObject({ replacedBy: null, expiresAt: NOW + 100 * DAY_MS });
      expect(await store.activateKey('b', NOW + 1, NOW + 14 * DAY_MS)).toBe(true);
      expect(await store.keyById('a')).toMatchObject({ replacedBy: 'b', expiresAt: NOW + 14 * DAY_MS });
      expect((await store.keyById('b'))?.deliveredAt).toBe(NOW + 1);
    });

    test('never lengthens the life of the key of before', async () => {
      const store = await open();
      await store.addKey(newKey('a', { expiresAt: NOW + DAY_MS }));
      await store.addKey(next('b'));
      await store.activateKey('b', NOW, NOW + 14 * DAY_MS);
      expect((await store.keyById('a'))?.expiresAt).toBe(NOW + DAY_MS);
    });

    test('is the only one', async () => {
      const store = await open();
      await store.addKey(newKey('a'));
      expect(await store.addKey(next('b'))).toBe(true);
      expect(await store.addKey(next('c'))).toBe(false);
      expect(await store.keyById('c')).toBeNull();
    });

    test('that was revoked makes room for another one', async () => {
      const store = await open();
      await store.addKey(newKey('a'));
      await store.addKey(next('b'));
      await store.activateKey('b', NOW, NOW + 14 * DAY_MS);
      await store.revokeKey('b', NOW, 'lost');
      expect((await store.keyById('a'))?.replacedBy).toBeNull();
      expect(await store.addKey(next('c'))).toBe(true);
    });

    test('is delivered once, and never after it was revoked', async () => {
      const store = await open();
      await store.addKey(newKey('a'));
      await store.addKey(next('b'));
      await store.activateKey('b', NOW, NOW + 14 * DAY_MS);
      expect(await store.activateKey('b', NOW + 1, NOW)).toBe(false);
      await store.addKey(newKey('c', { deliveredAt: null, email: 'bo@example.org' }));
      await store.revokeKey('c', NOW, 'not delivered');
      expect(await store.activateKey('c', NOW, NOW)).toBe(false);
      expect(await store.activateKey('unknown', NOW, NOW)).toBe(false);
      expect((await store.keyById('a'))?.expiresAt).toBe(NOW + 14 * DAY_MS);
    });
  });

  describe(`${engine}: a notice`, () => {
    test('is claimed once, and again after it was given back', async () => {
      const store = await open();
      await store.addKey(newKey('a'));
      expect(await store.claimNotice('a', NOW)).toBe(true);
      expect(await store.claimNotice('a', NOW + 1)).toBe(false);
      expect((await store.keyById('a'))?.notifiedAt).toBe(NOW);
      await store.releaseNotice('a');
      expect(await store.claimNotice('a', NOW + 2)).toBe(true);
      expect(await store.claimNotice('unknown', NOW)).toBe(false);
    });
  });

  describe(`${engine}: a code`, () => {
    test('verifies its address once', async () => {
      const store = await open();
      expect(await store.addVerification(newCode('a'), QUOTA)).toBe('added');
      expect(await store.verifiedAt('ada@example.edu')).toBeNull();
      expect(await store.tryCode('ada@example.edu', sha256('a'), NOW + 1, 5)).toBe('verified');
      expect(await store.tryCode('ada@example.edu', sha256('a'), NOW + 2, 5)).toBe('none');
      expect(await store.verifiedAt('ada@example.edu')).toBe(NOW + 1);
    });

    test('is no good for another address', async () => {
      const store = await open();
      await store.addVerification(newCode('a'), QUOTA);
      expect(await store.tryCode('bo@example.org', sha256('a'), NOW, 5)).toBe('none');
      expect(await store.verifiedAt('bo@example.org')).toBeNull();
    });

    test('is spent after the last try, the right one too', async () => {
      const store = await open();
      await store.addVerification(newCode('a'), QUOTA);
      for (let tries = 0; tries < 5; tries += 1) {
        expect(await store.tryCode('ada@example.edu', sha256('wrong'), NOW, 5)).toBe('wrong');
      }
      expect(await store.tryCode('ada@example.edu', sha256('a'), NOW, 5)).toBe('spent');
      expect(await store.verifiedAt('ada@example.edu')).toBeNull();
    });

    test('counts at the last try', async () => {
      const store = await open();
      await store.addVerification(newCode('a'), QUOTA);
      for (let tries = 0; tries < 4; tries += 1) await store.tryCode('ada@example.edu', 'wrong', NOW, 5);
      expect(await store.tryCode('ada@example.edu', sha256('a'), NOW, 5)).toBe('verified');
    });

    test('is good until the instant at which it ends', async () => {
      const store = await open();
      await store.addVerification(newCode('a'), QUOTA);
      expect(await store.tryCode('ada@example.edu', sha256('a'), NOW + DAY_MS, 5)).toBe('none');
      expect(await store.tryCode('ada@example.edu', sha256('a'), NOW + DAY_MS - 1, 5)).toBe('verified');
    });

    test('is replaced by a newer one', async () => {
      const store = await open();
      await store.addVerification(newCode('a'), QUOTA);
      await store.addVerification(newCode('b', { createdAt: NOW + 1 }), QUOTA);
      expect(await store.tryCode('ada@example.edu', sha256('a'), NOW + 2, 5)).toBe('wrong');
      expect(await store.tryCode('ada@example.edu', sha256('b'), NOW + 2, 5)).toBe('verified');
    });

    test('that was withdrawn is not there, and does not count', async () => {
      const store = await open();
      for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) {
        expect(await store.addVerification(newCode(id), QUOTA)).toBe('added');
        await store.withdrawVerification(id);
      }
      expect(await store.tryCode('ada@example.edu', sha256('f'), NOW, 5)).toBe('none');
    });

    test('over the quota of its address or of all is not added', async () => {
      const store = await open();
      const add = (id: string, email: string, at = NOW) =>
        store.addVerification(newCode(id, { email, createdAt: at }), { ...QUOTA, since: at - DAY_MS });
      for (const id of ['a', 'b', 'c']) expect(await add(id, 'ada@example.edu')).toBe('added');
      expect(await add('d', 'ada@example.edu')).toBe('address_quota');
      for (const id of ['e', 'f']) expect(await add(id, 'bo@example.org')).toBe('added');
      expect(await add('g', 'cy@example.org')).toBe('total_quota');
      expect(await add('h', 'ada@example.edu', NOW + DAY_MS)).toBe('address_quota');
      expect(await add('i', 'ada@example.edu', NOW + DAY_MS + 1)).toBe('added');
    });

    test('that was used is remembered for longer than one that was not', async () => {
      const store = await open();
      await store.addVerification(newCode('a'), QUOTA);
      await store.tryCode('ada@example.edu', sha256('a'), NOW, 5);
      const later = NOW + 300 * DAY_MS;
      const code = newCode('b', { email: 'bo@example.org', createdAt: later, expiresAt: later + DAY_MS });
      await store.addVerification(code, { ...QUOTA, since: later - DAY_MS });
      expect(await store.verifiedAt('ada@example.edu')).toBe(NOW);
    });
  });

  describe(`${engine}: several programs`, () => {
    const counted = (results: readonly unknown[], value: unknown) =>
      results.filter((result) => result === value).length;

    test('see a revocation at once', async () => {
      const [one, two, three] = await openAll();
      await one!.addKey(newKey('a'));
      expect(await two!.keyByHash(sha256('a'))).toMatchObject({ revokedAt: null });
      await one!.revokeKey('a', NOW + 5, 'lost');
      const seen = await Promise.all([two!, three!].map((store) => store.keyByHash(sha256('a'))));
      expect(seen).toMatchObject([{ revokedAt: NOW + 5 }, { revokedAt: NOW + 5 }]);
      const again = await Promise.all([two!, three!].map((store) => store.revokeKey('a', NOW + 6, 'again')));
      expect(again).toEqual([false, false]);
    });

    test('rotate a key at the same time, and one of them wins', async () => {
      const stores = await openAll();
      await stores[0]!.addKey(newKey('a'));
      const next = stores.map((store, index) =>
        store.addKey(newKey(`b${index}`, { replaces: 'a', deliveredAt: null })),
      );
      const won = await Promise.all(next);
      expect(counted(won, true)).toBe(1);
      const activated = stores.map((store) => store.activateKey(`b${won.indexOf(true)}`, NOW, NOW + DAY_MS));
      expect(counted(await Promise.all(activated), true)).toBe(1);
      expect(await stores[0]!.keyById('a')).toMatchObject({ expiresAt: NOW + DAY_MS });
      expect((await stores[0]!.keys()).length).toBe(2);
    });

    test('give one address one holder', async () => {
      const stores = await openAll();
      await Promise.all(stores.map((store, index) => store.addKey(newKey(`a${index}`))));
      expect(new Set((await stores[0]!.keys()).map(({ holder }) => holder)).size).toBe(1);
    });

    test('notify a holder once', async () => {
      const stores = await openAll();
      await stores[0]!.addKey(newKey('a'));
      expect(counted(await Promise.all(stores.map((store) => store.claimNotice('a', NOW))), true)).toBe(1);
    });

    test('count every attempt at a code, accept it once, and keep the quotas of codes', async () => {
      const stores = await openAll();
      const all = Array.from({ length: 12 }, (_, index) => stores[index % stores.length]!);
      const add = all.map((store, index) => {
        const email = `${index % 2 === 0 ? 'ada' : 'bo'}@example.org`;
        return store.addVerification(newCode(`c${index}`, { email }), QUOTA);
      });
      expect(counted(await Promise.all(add), 'added')).toBe(QUOTA.total);
      await stores[0]!.addVerification(newCode('d'), { ...QUOTA, total: 100 });
      const tried = await Promise.all(
        all.map((store) => store.tryCode('ada@example.edu', sha256('wrong'), NOW, 5)),
      );
      expect([counted(tried, 'wrong'), counted(tried, 'spent')]).toEqual([5, 7]);
      await stores[0]!.addVerification(newCode('e', { createdAt: NOW + 1 }), { ...QUOTA, total: 100 });
      const right = await Promise.all(
        stores.map((store) => store.tryCode('ada@example.edu', sha256('e'), NOW + 2, 5)),
      );
      expect(right.toSorted()).toEqual(['none', 'none', 'verified']);
    });
  });
}
