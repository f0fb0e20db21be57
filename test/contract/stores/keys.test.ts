import { describe, expect, test } from 'vitest';
import { failureOf } from '../../release/temporary-folder.ts';
import { eachEngine, opened, openThree } from './engines.ts';
import type { Mail, Stores } from './seam.ts';

const DAY_MS = 86_400_000;
/** 2026-03-02T09:00:00Z */
const ISSUED = Date.UTC(2026, 2, 2, 9);

const ECONOMIST = {
  tier: 'economist',
  email: 'ada@institute.example',
  name: 'A. Quill',
  affiliation: 'Institute of Measures',
  purpose: 'A paper on minting',
  volume: '500 requests a day',
  basis: 'staff page, 2026-03-01',
  deliver: 'print',
} as const;
const { basis: _, ...STATED } = ECONOMIST;
const ACADEMIC = { ...STATED, tier: 'academic', email: 'eve@university.example' } as const;

/** What happens to a key of an economist, and what it opens so many days after its issue. */
const OPENS: readonly [
  happened:
    | 'issued'
    | 'rotated'
    | 'rotated late'
    | 'revoked'
    | 'rotated, and the new one revoked'
    | 'mistyped',
  area: Parameters<Stores['keys']['open']>[1],
  days: number,
  result: string,
][] = [
  ['issued', 'economy', 0, 'admitted'],
  ['issued', 'government', 0, 'insufficient_scope'],
  ['issued', 'academics', 0, 'insufficient_scope'],
  ['issued', 'diplomacy', 0, 'anonymous'],
  ['issued', 'economy', 365 - 1e-6, 'admitted'],
  ['issued', 'economy', 365, 'invalid_token'],
  ['issued', 'diplomacy', 365, 'invalid_token'],
  ['mistyped', 'economy', 0, 'invalid_token'],
  ['revoked', 'economy', 0, 'invalid_token'],
  ['revoked', 'economy', 400, 'invalid_token'],
  ['rotated', 'economy', 14 - 1e-6, 'admitted'],
  ['rotated', 'economy', 14, 'invalid_token'],
  ['rotated late', 'economy', 365 - 1e-6, 'admitted'],
  ['rotated late', 'economy', 365, 'invalid_token'],
  ['rotated, and the new one revoked', 'economy', 14 - 1e-6, 'admitted'],
];

/** A clock that a test sets, and the mails that were accepted. */
async function openWithClock(place: string, send: (mail: Mail) => Promise<void> = async () => undefined) {
  const clock = { now: ISSUED };
  const mails: Mail[] = [];
  const stores = await opened(place, {
    now: () => clock.now,
    send: async (mail) => {
      await send(mail);
      mails.push(mail);
    },
  });
  return { ...stores, clock, mails };
}

const keyIn = ({ text }: Mail) => /^cds_\w+$/m.exec(text)![0];
const codeIn = ({ text }: Mail) => /^\w{4}-\w{4}-\w{4}$/m.exec(text)![0];
const refused = { code: 'key_refused' };

eachEngine('keys', ({ newPlace, everything, isShared }) => {
  /** A database for the whole table, whose rows do not see each other: to make one takes longer than a row. */
  let database: string | null = null;

  test.each(OPENS)(
    'one that is %s, in the area %s, after %f days: %s',
    async (happened, area, days, result) => {
      const place = database ?? (await newPlace());
      if (isShared) database = place;
      const { keys, clock } = await openWithClock(place);
      const issued = await keys.issue(ECONOMIST);
      if (happened === 'rotated late') clock.now += 360 * DAY_MS;
      if (happened.startsWith('rotated')) {
        const next = await keys.rotate(issued.id);
        expect(await keys.open(next.key!, 'economy')).toEqual({ result: 'admitted', holder: issued.holder });
        if (happened === 'rotated, and the new one revoked') await keys.revoke(next.id);
      }
      if (happened === 'revoked') await keys.revoke(issued.id);
      clock.now = ISSUED + Math.floor(days * DAY_MS);
      const key =
        happened === 'mistyped'
          ? issued.key!.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))
          : issued.key!;
      expect((await keys.open(key, area)).result).toBe(result);
    },
  );

  test('are stored as hashes: neither a key nor a code of verification is anywhere in the store', async () => {
    const place = await newPlace();
    const { keys, mails } = await openWithClock(place);
    await keys.requestCode(ACADEMIC.email);
    const { key } = await keys.issue(ECONOMIST);
    const stored = await everything(place);
    const [, , random] = key!.split('_');
    expect(stored).toContain(ECONOMIST.email);
    expect(stored).toContain(random!.slice(0, 4));
    expect(stored).not.toContain(random);
    expect(stored).not.toContain(codeIn(mails[0]!));
    expect(stored).not.toContain(codeIn(mails[0]!).replaceAll('-', ''));
  });

  test('of one address have one holder, whose requests are counted together; another address has another', async () => {
    const { keys } = await openWithClock(await newPlace());
    const [one, two] = [
      await keys.issue(ECONOMIST),
      await keys.issue({ ...ECONOMIST, name: 'Another name' }),
    ];
    const other = await keys.issue({ ...ECONOMIST, email: 'bo@institute.example' });
    expect(two.holder).toBe(one.holder);
    expect(other.holder).not.toBe(one.holder);
    expect((await keys.rotate(one.id)).holder).toBe(one.holder);
  });

  test('are listed newest first, with what was stated for each, and who ended them', async () => {
    const { keys, clock } = await openWithClock(await newPlace());
    const first = await keys.issue(ECONOMIST);
    clock.now += 1;
    const second = await keys.issue({ ...ECONOMIST, affiliation: 'Another institute' });
    clock.now += 1;
    await keys.revoke(first.id);
    const listed = await keys.list();
    expect(
      listed.map(({ id, affiliation, revoked_at, revoked_for }) => [
        id,
        affiliation,
        revoked_at,
        revoked_for,
      ]),
    ).toEqual([
      [second.id, 'Another institute', null, null],
      [first.id, 'Institute of Measures', ISSUED + 2, 'lost'],
    ]);
    expect(await failureOf(() => keys.revoke(first.id))).toMatchObject(refused);
    expect(await failureOf(() => keys.revoke('k_000000000000'))).toMatchObject(refused);
  });

  test('whose mail is refused open nothing, and leave the key that they would have replaced as it was', async () => {
    let isDown = false;
    const sent: string[] = [];
    const { keys, clock } = await openWithClock(await newPlace(), async (mail) => {
      sent.push(keyIn(mail));
      if (isDown) throw new Error('451 try later');
    });
    const issued = await keys.issue({ ...ECONOMIST, deliver: 'mail' });
    isDown = true;
    expect((await failureOf(() => keys.rotate(issued.id, 'mail'))).message).toMatch(/451/);
    expect((await keys.open(sent[1]!, 'economy')).result).toBe('invalid_token');
    clock.now += 15 * DAY_MS;
    expect((await keys.open(sent[0]!, 'economy')).result).toBe('admitted');
    isDown = false;
    await keys.rotate(issued.id, 'mail');
    expect((await keys.open(sent[2]!, 'economy')).result).toBe('admitted');
  });

  test('are rotated once: a key that has a successor, or ended, is refused', async () => {
    const { keys, clock } = await openWithClock(await newPlace());
    const { id } = await keys.issue(ECONOMIST);
    const next = await keys.rotate(id);
    expect(await failureOf(() => keys.rotate(id))).toMatchObject(refused);
    await keys.revoke(next.id);
    expect(await failureOf(() => keys.rotate(next.id))).toMatchObject(refused);
    const third = await keys.rotate(id);
    clock.now += 365 * DAY_MS;
    expect(await failureOf(() => keys.rotate(third.id))).toMatchObject(refused);
  });

  test('are announced to end once, however many programs announce it, and again where the mail was refused', async () => {
    const place = await newPlace();
    let isDown = true;
    const mails: string[] = [];
    const now = { at: ISSUED };
    const options = {
      now: () => now.at,
      send: async ({ to }: Mail) => {
        if (isDown) throw new Error('451 try later');
        mails.push(to);
      },
    };
    const stores = await openThree(place, options);
    await stores[0].keys.issue(ECONOMIST);
    now.at += 340 * DAY_MS;
    expect(await stores[0].keys.notify(30)).toEqual([]);
    isDown = false;
    expect(await stores[0].keys.notify(20)).toEqual([]);
    const notified = await Promise.all(stores.map(({ keys }) => keys.notify(30)));
    expect([notified.flat().length, mails]).toEqual([1, [ECONOMIST.email]]);
  });

  describe('codes of verification', () => {
    test('open the academic tier for a year, each for its address, once, and for a day', async () => {
      const { keys, mails, clock } = await openWithClock(await newPlace());
      const isVerified = () =>
        keys.issue(ACADEMIC).then(
          () => true,
          () => false,
        );
      await keys.requestCode(ACADEMIC.email);
      await keys.requestCode('other@university.example');
      const [code, others] = mails.map(codeIn);
      expect(await failureOf(() => keys.enterCode(ACADEMIC.email, others!))).toMatchObject(refused);
      clock.now += DAY_MS;
      expect(await failureOf(() => keys.enterCode(ACADEMIC.email, code!))).toMatchObject(refused);
      expect(await isVerified()).toBe(false);
      clock.now -= 1;
      await keys.enterCode(ACADEMIC.email, code!);
      expect(await failureOf(() => keys.enterCode(ACADEMIC.email, code!))).toMatchObject(refused);
      expect(await isVerified()).toBe(true);
      clock.now += 365 * DAY_MS - 1;
      expect(await isVerified()).toBe(true);
      clock.now += 1;
      expect(await isVerified()).toBe(false);
    });

    test('allow five attempts, in all programs together; the newest one counts', async () => {
      const place = await newPlace();
      const mails: Mail[] = [];
      const stores = await openThree(place, {
        // The time of the second code is later.
        now: () => ISSUED + mails.length,
        send: async (mail) => void mails.push(mail),
      });
      const [{ keys }] = stores;
      const attempts = (code: string) =>
        Promise.all(
          Array.from({ length: 12 }, (_, at) =>
            stores[at % 3]!.keys.enterCode(ACADEMIC.email, code).then(
              () => 'verified',
              ({ found }) => (/^a different code/.test(found) ? 'wrong' : 'refused'),
            ),
          ),
        );
      await keys.requestCode(ACADEMIC.email);
      // Each program has all of its connections, so that attempts do not wait for these.
      await Promise.all(stores.flatMap((store) => Array.from({ length: 8 }, () => store.keys.list())));
      expect((await attempts('0000-0000-0000')).filter((result) => result === 'wrong')).toHaveLength(5);
      expect(await failureOf(() => keys.enterCode(ACADEMIC.email, codeIn(mails[0]!)))).toMatchObject(refused);
      await keys.requestCode(ACADEMIC.email);
      expect(await attempts(codeIn(mails[1]!))).toEqual(expect.arrayContaining(['verified', 'refused']));
      await keys.issue(ACADEMIC);
    });

    test('are three a day for an address, and 200 for all; a mail that was refused does not count', async () => {
      let isDown = true;
      const { keys, clock } = await openWithClock(await newPlace(), async () => {
        if (isDown) throw new Error('451 try later');
      });
      for (let at = 0; at < 4; at += 1) await failureOf(() => keys.requestCode(ACADEMIC.email));
      isDown = false;
      for (let at = 0; at < 3; at += 1) await keys.requestCode(ACADEMIC.email);
      expect(await failureOf(() => keys.requestCode(ACADEMIC.email))).toMatchObject(refused);
      for (let at = 0; at < 197; at += 1) await keys.requestCode(`a${at}@university.example`);
      expect(await failureOf(() => keys.requestCode('last@university.example'))).toMatchObject(refused);
      clock.now += DAY_MS + 1;
      await keys.requestCode(ACADEMIC.email);
    });
  });

  describe('several programs', () => {
    test('see a revocation at once, and only one revokes', async () => {
      const stores = await openThree(await newPlace(), { now: () => ISSUED });
      const { key, id } = await stores[0].keys.issue(ECONOMIST);
      for (const { keys } of stores) expect((await keys.open(key!, 'economy')).result).toBe('admitted');
      const ends = await Promise.allSettled(stores.map(({ keys }) => keys.revoke(id)));
      expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const { keys } of stores) expect((await keys.open(key!, 'economy')).result).toBe('invalid_token');
    });

    test('rotate a key at the same time, and one new key works', async () => {
      const stores = await openThree(await newPlace(), { now: () => ISSUED });
      const { id } = await stores[0].keys.issue(ECONOMIST);
      const ends = await Promise.allSettled(stores.map(({ keys }) => keys.rotate(id)));
      expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const [{ keys }] = stores;
      expect((await keys.list()).filter(({ replaces, revoked_at }) => replaces && !revoked_at)).toHaveLength(
        1,
      );
    });

    test('issue keys to one new address at the same time, and it has one holder', async () => {
      const stores = await openThree(await newPlace(), { now: () => ISSUED });
      const issued = await Promise.all(stores.map(({ keys }) => keys.issue(ECONOMIST)));
      expect(new Set(issued.map(({ holder }) => holder)).size).toBe(1);
    });
  });
});
