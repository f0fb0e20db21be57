import { describe, expect, test } from 'vitest';
import { DAY_MS } from '../../../pipeline/words/day.ts';
import { expiringKeys } from '../../../src/sidecar/keys/expiring-keys.ts';
import {
  formatDeliveredKey,
  formatDeliveredKeyJson,
  formatExpiringJson,
  formatKeysJson,
  formatKeyTable,
} from '../../../src/sidecar/keys/format-keys.ts';
import { issueKey } from '../../../src/sidecar/keys/issue-key.ts';
import { listKeys } from '../../../src/sidecar/keys/key-status.ts';
import { revokeKey } from '../../../src/sidecar/keys/revoke-key.ts';
import { rotateKey } from '../../../src/sidecar/keys/rotate-key.ts';
import { failureOf } from '../../release/temporary-folder.ts';
import { ECONOMIST, GOVERNMENT, NOW, type TinyKeyServices, tinyKeyServices } from './tiny-key-services.ts';

async function issue(services: TinyKeyServices, days: string, email = ECONOMIST.email): Promise<string> {
  return (await issueKey({ ...ECONOMIST, email, days }, services)).record.id;
}

const ids = (keys: readonly { id: string }[]) => keys.map(({ id }) => id);

describe('keys expiring', () => {
  test('are the good ones that end within the days, the next to end first', async () => {
    const services = await tinyKeyServices();
    const late = await issue(services, '31');
    const soon = await issue(services, '30');
    const sooner = await issue(services, '2');
    await revokeKey({ id: await issue(services, '3'), reason: 'lost' }, services);
    const over = await issue(services, '1');
    services.clock.now += DAY_MS;
    expect(ids((await expiringKeys({ within: '29' }, services)).keys)).toEqual([sooner, soon]);
    expect(ids((await expiringKeys({ within: '30' }, services)).keys)).toEqual([sooner, soon, late]);
    expect(ids((await expiringKeys({ within: '1' }, services)).keys)).not.toContain(over);
  });

  test('are listed and not told where nobody asks for it', async () => {
    const services = await tinyKeyServices();
    const soon = await issue(services, '10');
    expect(await expiringKeys({ within: '30' }, services)).toMatchObject({
      keys: [{ id: soon, notifiedAt: null }],
    });
    expect(services.mails).toEqual([]);
  });

  test('are not told where the holder has a new key', async () => {
    const services = await tinyKeyServices();
    const old = await issue(services, '10');
    await rotateKey({ id: old, deliver: 'print' }, services);
    const { keys, notified } = await expiringKeys({ within: '30', notify: true }, services);
    expect(ids(keys)).toEqual([old]);
    expect(notified).toEqual([]);
  });

  test.each([{}, { within: '0' }, { within: 'soon' }, { within: '30', notify: 'yes' }])(
    'by %j are wrong use',
    async (args) => {
      expect(await failureOf(async () => expiringKeys(args, await tinyKeyServices()))).toMatchObject({
        code: 'usage',
      });
    },
  );
});

describe('the list of keys', () => {
  async function fourKeys() {
    const services = await tinyKeyServices();
    const revoked = await issue(services, '20');
    await revokeKey({ id: revoked, reason: 'lost' }, services);
    services.clock.now += 1;
    const old = await issue(services, '20', 'bo@institute.example');
    services.clock.now += 1;
    const { record: next } = await rotateKey({ id: old, deliver: 'print' }, services);
    services.clock.now += 1;
    const { record: government } = await issueKey(GOVERNMENT, services);
    return { services, revoked, old, next: next.id, government: government.id };
  }

  test('has all of them, newest first, or those of a tier, an area or an address', async () => {
    const { services, revoked, old, next, government } = await fourKeys();
    expect(ids(await listKeys({}, services))).toEqual([government, next, old, revoked]);
    expect(ids(await listKeys({ tier: 'government' }, services))).toEqual([government]);
    expect(ids(await listKeys({ area: 'economy' }, services))).toEqual([next, old, revoked]);
    expect(ids(await listKeys({ email: 'BO@institute.example', area: 'economy' }, services))).toEqual([
      next,
      old,
    ]);
    expect(await failureOf(() => listKeys({ area: 'diplomacy' }, services))).toMatchObject({
      place: '--area',
    });
  });

  test('as a table has a line each, with the status', async () => {
    const { services, revoked, old, next, government } = await fourKeys();
    const lines = formatKeyTable(await listKeys({}, services), services.clock.now).split('\n');
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
    const { services, old, next } = await fourKeys();
    const keys = await listKeys({ email: 'bo@institute.example' }, services);
    const text = formatKeysJson(keys, services.clock.now);
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
    const { services, old } = await fourKeys();
    const expiring = await expiringKeys({ within: '30' }, services);
    const json = JSON.parse(formatExpiringJson(expiring, services.clock.now));
    expect(json).toMatchObject({ keys: [{ id: old }], notified: [], failures: [] });
  });
});

test('a key that was printed stands in the text and in the JSON of its issue, and nowhere after', async () => {
  const services = await tinyKeyServices();
  const deliveredKey = await issueKey(ECONOMIST, services);
  expect(formatDeliveredKey(deliveredKey).split('\n')).toContain(deliveredKey.key);
  expect(JSON.parse(formatDeliveredKeyJson(deliveredKey, NOW))).toMatchObject({
    key: deliveredKey.key,
    status: 'active',
  });
  const keys = await listKeys({}, services);
  const shown = formatKeyTable(keys, NOW) + formatKeysJson(keys, NOW);
  expect(shown).toContain(deliveredKey.key!.slice(0, 16));
  expect(shown).not.toContain(deliveredKey.key!.slice(12, 30));
});
