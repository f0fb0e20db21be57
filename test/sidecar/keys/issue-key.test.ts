import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KEY_AREAS, TIER_NAMES, TIERS } from '../../../src/api/tiers.ts';
import { flagOf } from '../../../src/sidecar/keys/key-arguments.ts';
import { issueKey, listKeys } from '../../../src/sidecar/keys/key-life.ts';
import { requestVerification, verifyEmail } from '../../../src/sidecar/keys/verify-email.ts';
import { failureOf } from '../../release/temporary-folder.ts';
import { codeIn, ECONOMIST, tinyKeyServices } from './tiny-key-services.ts';

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
