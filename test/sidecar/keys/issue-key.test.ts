import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KEY_AREAS, TIER_NAMES, TIERS } from '../../../src/api/tiers.ts';
import { readArguments } from '../../../src/commands/command.ts';
import { COMMANDS } from '../../../src/commands/table.ts';
import { issueKey, listKeys } from '../../../src/sidecar/keys/key-life.ts';
import { requestVerification, verifyEmail } from '../../../src/sidecar/keys/verify-email.ts';
import { failureOf } from '../../release/temporary-folder.ts';
import { codeIn, ECONOMIST, tinyKeyServices } from './tiny-key-services.ts';

/** `keys issue` with the members of an application as flags. */
async function readFlags(application: object): Promise<Record<string, unknown>> {
  const args = Object.entries(application).flatMap(([name, text]) =>
    text === undefined ? [] : [`--${name}=${text}`],
  );
  return (await readArguments('keys issue', await COMMANDS['keys issue']!(), args, {})).values;
}

describe('a request for a key', () => {
  test.each([
    ['tier', 'public'],
    ['tier', '__proto__'],
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
    ['name', 'Ada\u200b Quill'],
    ['volume', undefined],
    ['basis', undefined],
    ['key-days', '0'],
    ['key-days', '-1'],
    ['key-days', '1.5'],
    ['key-days', '1e2'],
    ['deliver', 'pigeon'],
    ['colour', 'red'],
  ])('is refused by its flag where %s is %j', async (name, value) => {
    expect(await failureOf(() => readFlags({ ...ECONOMIST, [name]: value }))).toMatchObject({
      place: `--${name}`,
    });
  });

  test('is refused where it would last longer than its tier allows', async () => {
    const services = await tinyKeyServices();
    const failure = await failureOf(() => issueKey({ ...ECONOMIST, days: 366 }, services));
    expect(failure).toMatchObject({ code: 'usage', place: '--key-days', found: '366' });
    expect(await listKeys({}, services)).toEqual([]);
  });

  test.each([
    ['name', 100],
    ['affiliation', 200],
    ['purpose', 500],
    ['volume', 200],
    ['basis', 200],
  ])('is refused where --%s is longer than %d characters', async (flag, length) => {
    const attempt = (text: string) => readFlags({ ...ECONOMIST, [flag]: text });
    expect(await failureOf(() => attempt('x'.repeat(length + 1)))).toMatchObject({ place: `--${flag}` });
    expect(await attempt('x'.repeat(length))).toMatchObject({ [flag]: 'x'.repeat(length) });
  });

  test('may have names as people write them', async () => {
    const services = await tinyKeyServices();
    const name = 'Zoë O’Hara-Đặng 李 علی‌رضا';
    expect((await readFlags({ ...ECONOMIST, name })).name).toBe(name);
    expect((await issueKey({ ...ECONOMIST, name }, services)).record.name).toBe(name);
  });

  test('never gets areas that its tier does not have', async () => {
    const services = await tinyKeyServices();
    await requestVerification({ email: ECONOMIST.email }, services);
    await verifyEmail({ email: ECONOMIST.email, code: codeIn(services.mails[0]!) }, services);
    const some = fc.subarray([...KEY_AREAS], { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...TIER_NAMES), some, async (tier, areas) => {
        const request = issueKey({ ...ECONOMIST, tier, areas }, services);
        const isAllowed = areas.every((area) => TIERS[tier].areas.includes(area));
        if (isAllowed) expect((await request).record.areas).toEqual(areas);
        else await expect(request).rejects.toMatchObject({ code: 'usage', place: '--areas' });
      }),
    );
  });
});
