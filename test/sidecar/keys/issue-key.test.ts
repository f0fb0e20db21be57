import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY_MS } from '../../../pipeline/words/day.ts';
import { KEY_AREAS, TIER_NAMES, TIERS } from '../../../src/api/tiers.ts';
import { formatDeliveredKey, formatDeliveredKeyJson } from '../../../src/sidecar/keys/format-keys.ts';
import { issueKey } from '../../../src/sidecar/keys/issue-key.ts';
import { flagOf } from '../../../src/sidecar/keys/key-arguments.ts';
import { keyStatus, listKeys } from '../../../src/sidecar/keys/key-status.ts';
import { hashKey, isKey } from '../../../src/sidecar/keys/key-text.ts';
import { requestVerification, verifyEmail } from '../../../src/sidecar/keys/verify-email.ts';
import { failureOf } from '../../release/temporary-folder.ts';
import { ACADEMIC, codeIn, ECONOMIST, GOVERNMENT, keyIn, NOW, tinyKeyServices } from './tiny-key-services.ts';

describe('an issued key', () => {
  test('of a government is printed once, and mailed to nobody', async () => {
    const services = await tinyKeyServices();
    const { key, record } = await issueKey(GOVERNMENT, services);
    expect(isKey(key!)).toBe(true);
    expect(key).toMatch(/^cds_government_/);
    expect(services.mails).toEqual([]);
    expect(await services.store.keyByHash(hashKey(key!))).toEqual(record);
    expect(record).toMatchObject({
      tier: 'government',
      areas: ['government'],
      deliveredAt: NOW,
      volume: null,
    });
  });

  test('of a government is mailed where the operator asks for it', async () => {
    const services = await tinyKeyServices();
    const { key } = await issueKey({ ...GOVERNMENT, deliver: 'mail' }, services);
    expect(key).toBeNull();
    expect(services.mails.map(({ to }) => to)).toEqual(['desk@ministry.example']);
  });

  test('of an economist is mailed, and not shown', async () => {
    const services = await tinyKeyServices();
    const deliveredKey = await issueKey({ ...ECONOMIST, deliver: undefined }, services);
    const key = keyIn(services.mails[0]!);
    expect(deliveredKey.key).toBeNull();
    expect(formatDeliveredKey(deliveredKey)).toMatch(/was sent by mail/);
    expect(JSON.stringify(deliveredKey) + formatDeliveredKeyJson(deliveredKey, NOW)).not.toContain(key);
    expect(await services.store.keyByHash(hashKey(key))).toEqual(deliveredKey.record);
  });

  test('keeps what the applicant stated', async () => {
    const services = await tinyKeyServices();
    const { record } = await issueKey({ ...ECONOMIST, email: ' Ada@Institute.EXAMPLE ' }, services);
    const { tier, email, name, affiliation, purpose, volume, basis } = ECONOMIST;
    expect(record).toMatchObject({ tier, email, name, affiliation, purpose, volume, basis, issuedAt: NOW });
  });

  test.each(TIER_NAMES)(
    'of the tier %s ends after its days, or sooner where the operator says so',
    async (tier) => {
      const services = await tinyKeyServices();
      const args = { ...ECONOMIST, tier };
      await requestVerification({ email: args.email }, services);
      await verifyEmail({ email: args.email, code: codeIn(services.mails[0]!) }, services);
      const { record } = await issueKey(args, services);
      expect(record.expiresAt).toBe(NOW + TIERS[tier].days * DAY_MS);
      expect(record.areas).toEqual(TIERS[tier].areas);
      expect((await issueKey({ ...args, days: '7' }, services)).record.expiresAt).toBe(NOW + 7 * DAY_MS);
      const longer = failureOf(() => issueKey({ ...args, days: String(TIERS[tier].days + 1) }, services));
      expect(await longer).toMatchObject({ code: 'usage', place: '--key-days' });
    },
  );

  test('covers just the areas asked for, in the order of the areas', async () => {
    const services = await tinyKeyServices();
    const args = { ...ECONOMIST, tier: 'institutional', areas: 'philosophy, economy' };
    const { key, record } = await issueKey(args, services);
    expect(record.areas).toEqual(['economy', 'philosophy']);
    expect(key).toMatch(/^cds_economy_/);
  });
});

describe('the academic tier', () => {
  test('is refused for an address that was not verified, and says what to do', async () => {
    const services = await tinyKeyServices();
    const failure = await failureOf(() => issueKey(ACADEMIC, services));
    expect(failure).toMatchObject({
      code: 'key_refused',
      place: 'eve@university.example',
      found:
        'one that was never verified: send a code with keys request-verification, then run keys verify-email',
    });
    expect(await listKeys({}, services)).toEqual([]);
    expect(services.mails).toEqual([]);
  });
});

describe('a request for a key', () => {
  test.each([
    ['tier', 'public'],
    ['tier', '__proto__'],
    ['areas', 'government'],
    ['areas', 'academics'],
    ['areas', 'diplomacy'],
    ['areas', ''],
    ['areas', 'economy,economy'],
    ['areas', 'economy,'],
    ['email', 'ada'],
    ['email', 'ada@localhost'],
    ['email', 'ada@institute.example\r\nBcc: all@institute.example'],
    ['email', 'ada@institute.example, bo@institute.example'],
    ['name', ''],
    ['name', '  '],
    ['name', 'Ada\nBcc: bo@institute.example'],
    ['name', 'Ada\u2028Quill'],
    ['name', 'Ada\u001b[2J'],
    ['name', 'Ada \u202e Quill'],
    ['volume', undefined],
    ['basis', undefined],
    ['days', '0'],
    ['days', '-1'],
    ['days', '1.5'],
    ['days', '366'],
    ['days', '1e2'],
    ['deliver', 'pigeon'],
    ['colour', 'red'],
  ])('is refused by its flag where %s is %j', async (name, value) => {
    const services = await tinyKeyServices();
    const failure = await failureOf(() => issueKey({ ...ECONOMIST, [name]: value }, services));
    expect(failure).toMatchObject({ code: 'usage', place: flagOf(name) });
    expect(failure.message).toMatch(/^[^\p{C}\p{Zl}]+$/u);
    expect(await listKeys({}, services)).toEqual([]);
  });

  test.each([
    ['name', 100],
    ['affiliation', 200],
    ['purpose', 500],
    ['volume', 200],
    ['basis', 200],
  ])('is refused where --%s is longer than %d characters', async (flag, length) => {
    const services = await tinyKeyServices();
    const attempt = (text: string) => issueKey({ ...ECONOMIST, [flag]: text }, services);
    expect(await failureOf(() => attempt('x'.repeat(length + 1)))).toMatchObject({ place: `--${flag}` });
    expect((await attempt('x'.repeat(length))).record).toMatchObject({ [flag]: 'x'.repeat(length) });
  });

  test('may have names as people write them', async () => {
    const services = await tinyKeyServices();
    const name = 'Zoë O’Hara-Đặng 李 علی‌رضا';
    expect((await issueKey({ ...ECONOMIST, name }, services)).record.name).toBe(name);
  });

  test('never gets areas that its tier does not have', async () => {
    const services = await tinyKeyServices();
    await requestVerification({ email: ECONOMIST.email }, services);
    await verifyEmail({ email: ECONOMIST.email, code: codeIn(services.mails[0]!) }, services);
    const some = fc.subarray([...KEY_AREAS], { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...TIER_NAMES), some, async (tier, areas) => {
        const request = issueKey({ ...ECONOMIST, tier, areas: areas.join(',') }, services);
        const isAllowed = areas.every((area) => TIERS[tier].areas.includes(area));
        if (isAllowed) expect((await request).record.areas).toEqual(areas);
        else await expect(request).rejects.toMatchObject({ code: 'usage', place: '--areas' });
      }),
    );
  });
});

describe('a key whose mail fails', () => {
  test('is revoked and opens nothing', async () => {
    const services = await tinyKeyServices(async () => Promise.reject(new Error('no')));
    await expect(issueKey({ ...ECONOMIST, deliver: 'mail' }, services)).rejects.toThrow('no');
    const [record] = await listKeys({}, services);
    expect(record).toMatchObject({
      deliveredAt: null,
      revokedAt: NOW,
      revokedFor: 'not delivered: the mail was not accepted',
    });
  });

  test('is not stored at all where there is no mail server', async () => {
    const services = { ...(await tinyKeyServices()), mailer: null };
    expect(await failureOf(() => issueKey({ ...ECONOMIST, deliver: 'mail' }, services))).toMatchObject({
      code: 'config_invalid',
      place: 'SMTP_URL',
    });
    expect(await listKeys({}, services)).toEqual([]);
  });

  test('is not in force while the mail is on its way', async () => {
    const statuses: string[] = [];
    const services = await tinyKeyServices(async () => {
      statuses.push(...(await listKeys({}, services)).map((key) => keyStatus(key, NOW)));
    });
    const { record } = await issueKey({ ...ECONOMIST, deliver: 'mail' }, services);
    expect(statuses).toEqual(['undelivered']);
    expect(keyStatus(record, NOW)).toBe('active');
  });

  test('and that somebody revoked meanwhile stays revoked', async () => {
    const services = await tinyKeyServices(async () => {
      const [key] = await listKeys({}, services);
      await services.store.revokeKey(key!.id, NOW, 'changed my mind');
    });
    const failure = await failureOf(() => issueKey({ ...ECONOMIST, deliver: 'mail' }, services));
    expect(failure).toMatchObject({ code: 'key_refused' });
    expect((await listKeys({}, services))[0]).toMatchObject({
      deliveredAt: null,
      revokedFor: 'changed my mind',
    });
  });
});
