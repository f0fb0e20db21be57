import { describe, expect, test } from 'vitest';
import { DAY_MS } from '../../../src/api/tiers.ts';
import { expiringKeys } from '../../../src/sidecar/keys/expiring-keys.ts';
import {
  formatExpiring,
  formatExpiringJson,
  formatHandedOver,
  formatHandedOverJson,
  formatKeysJson,
  formatKeyTable,
} from '../../../src/sidecar/keys/format-keys.ts';
import { issueKey } from '../../../src/sidecar/keys/issue-key.ts';
import { listKeys } from '../../../src/sidecar/keys/key-status.ts';
import { revokeKey } from '../../../src/sidecar/keys/revoke-key.ts';
import { rotateKey } from '../../../src/sidecar/keys/rotate-key.ts';
import { failureOf } from '../../release/temporary-folder.ts';
import { ECONOMIST, GOVERNMENT, NOW, type TinyOffice, tinyOffice } from './tiny-office.ts';

async function issue(office: TinyOffice, days: string, email = ECONOMIST.email): Promise<string> {
  return (await issueKey({ ...ECONOMIST, email, days }, office)).record.id;
}

const ids = (keys: readonly { id: string }[]) => keys.map(({ id }) => id);

describe('keys expiring', () => {
  test('are the good ones that end within the days, the next to end first', async () => {
    const office = await tinyOffice();
    const late = await issue(office, '31');
    const soon = await issue(office, '30');
    const sooner = await issue(office, '2');
    await revokeKey({ id: await issue(office, '3'), reason: 'lost' }, office);
    const over = await issue(office, '1');
    office.clock.now += DAY_MS;
    expect(ids((await expiringKeys({ within: '29' }, office)).keys)).toEqual([sooner, soon]);
    expect(ids((await expiringKeys({ within: '30' }, office)).keys)).toEqual([sooner, soon, late]);
    expect(ids((await expiringKeys({ within: '1' }, office)).keys)).not.toContain(over);
  });

  test('are told to their holders once', async () => {
    const office = await tinyOffice();
    const soon = await issue(office, '10');
    await issue(office, '100');
    const first = await expiringKeys({ within: '30', notify: true }, office);
    expect(first).toMatchObject({ notified: [soon], failures: [], keys: [{ id: soon, notifiedAt: NOW }] });
    expect(office.mails.map(({ to }) => to)).toEqual([ECONOMIST.email]);
    expect(office.mails[0]!.text.replace(/\s+/g, ' ')).toContain('ends in 10 days, on 2026-03-12 09:00 UTC');
    expect(await expiringKeys({ within: '30', notify: true }, office)).toMatchObject({ notified: [] });
    expect(office.mails).toHaveLength(1);
  });

  test('are listed and not told where nobody asks for it', async () => {
    const office = await tinyOffice();
    const soon = await issue(office, '10');
    expect(await expiringKeys({ within: '30' }, office)).toMatchObject({
      keys: [{ id: soon, notifiedAt: null }],
    });
    expect(office.mails).toEqual([]);
  });

  test('are not told where the holder has a new key', async () => {
    const office = await tinyOffice();
    const old = await issue(office, '10');
    await rotateKey({ id: old, deliver: 'print' }, office);
    const { keys, notified } = await expiringKeys({ within: '30', notify: true }, office);
    expect(ids(keys)).toEqual([old]);
    expect(notified).toEqual([]);
  });

  test('are told the next time where a mail fails, and do not hold up the others', async () => {
    let works = false;
    const office = await tinyOffice(async ({ to }) => {
      if (!works && to.startsWith('bo@')) throw new Error('mailbox full');
    });
    const bo = await issue(office, '5', 'bo@institute.example');
    const ada = await issue(office, '10');
    const first = await expiringKeys({ within: '30', notify: true }, office);
    expect(first).toMatchObject({ notified: [ada], failures: [{ id: bo, message: 'mailbox full' }] });
    expect(formatExpiring(first, NOW)).toContain(`${bo}: holder not told: mailbox full\n`);
    expect(formatExpiring(first, NOW)).toContain(`${ada}: holder told\n`);
    works = true;
    expect(await expiringKeys({ within: '30', notify: true }, office)).toMatchObject({ notified: [bo] });
  });

  test('are told once by two runs at the same time', async () => {
    const office = await tinyOffice(() => new Promise((done) => setImmediate(done)));
    for (let n = 0; n < 5; n += 1) await issue(office, '10', `e${n}@institute.example`);
    const args = { within: '30', notify: true };
    const runs = await Promise.all([expiringKeys(args, office), expiringKeys(args, office)]);
    expect(runs.flatMap(({ notified }) => notified)).toHaveLength(5);
    expect(office.mails).toHaveLength(5);
  });

  test.each([{}, { within: '0' }, { within: 'soon' }, { within: '30', notify: 'yes' }])(
    'by %j are wrong use',
    async (args) => {
      expect(await failureOf(async () => expiringKeys(args, await tinyOffice()))).toMatchObject({
        code: 'usage',
      });
    },
  );
});

describe('the list of keys', () => {
  async function fourKeys() {
    const office = await tinyOffice();
    const revoked = await issue(office, '20');
    await revokeKey({ id: revoked, reason: 'lost' }, office);
    office.clock.now += 1;
    const old = await issue(office, '20', 'bo@institute.example');
    office.clock.now += 1;
    const { record: next } = await rotateKey({ id: old, deliver: 'print' }, office);
    office.clock.now += 1;
    const { record: government } = await issueKey(GOVERNMENT, office);
    return { office, revoked, old, next: next.id, government: government.id };
  }

  test('has all of them, newest first, or those of a tier, an area or an address', async () => {
    const { office, revoked, old, next, government } = await fourKeys();
    expect(ids(await listKeys({}, office))).toEqual([government, next, old, revoked]);
    expect(ids(await listKeys({ tier: 'government' }, office))).toEqual([government]);
    expect(ids(await listKeys({ area: 'economy' }, office))).toEqual([next, old, revoked]);
    expect(ids(await listKeys({ email: 'BO@institute.example', area: 'economy' }, office))).toEqual([
      next,
      old,
    ]);
    expect(await failureOf(() => listKeys({ area: 'diplomacy' }, office))).toMatchObject({ place: '--area' });
  });

  test('as a table has a line each, with the status', async () => {
    const { office, revoked, old, next, government } = await fourKeys();
    const lines = formatKeyTable(await listKeys({}, office), office.clock.now).split('\n');
    expect(lines[0]).toMatch(/^ID +KEY +HOLDER +E-MAIL +TIER +AREAS +ISSUED +ENDS +STATUS$/);
    expect(lines.slice(1, 5).map((line) => [line.split(/ +/)[0], line.split(/ +/).at(-1)])).toEqual([
      [government, 'active'],
      [next, 'active'],
      [old, 'ending'],
      [revoked, 'revoked'],
    ]);
    expect(lines.slice(5)).toEqual(['']);
    const columns = ['STATUS', 'active', 'active', 'ending', 'revoked'];
    expect(new Set(lines.slice(0, 5).map((line, row) => line.lastIndexOf(columns[row]!))).size).toBe(1);
    expect(formatKeyTable([], NOW)).toBe('No keys.\n');
  });

  test('as JSON has what is known of each, times in ISO 8601, and no hash', async () => {
    const { office, old, next } = await fourKeys();
    const keys = await listKeys({ email: 'bo@institute.example' }, office);
    const text = formatKeysJson(keys, office.clock.now);
    expect(JSON.parse(text)).toMatchObject([
      { id: next, replaces: old, status: 'active', expires_at: '2027-03-02T09:00:00.002Z', revoked_at: null },
      {
        id: old,
        replaced_by: next,
        status: 'ending',
        expires_at: '2026-03-16T09:00:00.002Z',
        volume: ECONOMIST.volume,
      },
    ]);
    for (const { hash } of keys) expect(text).not.toContain(hash);
  });

  test('of those expiring is the same in JSON, with what became of the notices', async () => {
    const { office, old } = await fourKeys();
    const expiring = await expiringKeys({ within: '30' }, office);
    const json = JSON.parse(formatExpiringJson(expiring, office.clock.now));
    expect(json).toMatchObject({ keys: [{ id: old }], notified: [], failures: [] });
  });
});

test('a key that was printed stands in the text and in the JSON of its issue, and nowhere after', async () => {
  const office = await tinyOffice();
  const handedOver = await issueKey(ECONOMIST, office);
  expect(formatHandedOver(handedOver).split('\n')).toContain(handedOver.key);
  expect(JSON.parse(formatHandedOverJson(handedOver, NOW))).toMatchObject({
    key: handedOver.key,
    status: 'active',
  });
  const keys = await listKeys({}, office);
  const shown = formatKeyTable(keys, NOW) + formatKeysJson(keys, NOW);
  expect(shown).toContain(handedOver.key!.slice(0, 16));
  expect(shown).not.toContain(handedOver.key!.slice(12, 30));
});
