import { describe, expect, test } from 'vitest';
import { requestVerification, verifyEmail } from '../../../src/sidecar/keys/verify-email.ts';
import { failureOf } from '../../release/temporary-folder.ts';
import { codeIn, NOW, tinyOffice } from './tiny-office.ts';

const EMAIL = 'eve@university.example';
const HOUR = 3_600_000;

describe('a code', () => {
  test('verifies the address that it was mailed to, once', async () => {
    const office = await tinyOffice();
    expect(await requestVerification({ email: 'Eve@University.example' }, office)).toEqual({
      email: EMAIL,
      expiresAt: NOW + 24 * HOUR,
    });
    expect(office.mails.map(({ to }) => to)).toEqual([EMAIL]);
    const code = codeIn(office.mails[0]!);
    expect(await verifyEmail({ email: EMAIL, code }, office)).toEqual({ email: EMAIL, verifiedAt: NOW });
    expect(await failureOf(() => verifyEmail({ email: EMAIL, code }, office))).toMatchObject({
      code: 'key_refused',
      found: expect.stringMatching(/without an open code/),
    });
  });

  test.each([
    (code: string) => code.toLowerCase(),
    (code: string) => code.replaceAll('-', ''),
    (code: string) => ` ${code.replaceAll('-', ' ')} `,
  ])('may be typed as people do', async (type) => {
    const office = await tinyOffice();
    await requestVerification({ email: EMAIL }, office);
    const code = type(codeIn(office.mails[0]!));
    expect(await verifyEmail({ email: EMAIL, code }, office)).toMatchObject({ email: EMAIL });
  });

  test('ends after a day', async () => {
    const office = await tinyOffice();
    await requestVerification({ email: EMAIL }, office);
    const code = codeIn(office.mails[0]!);
    office.clock.now += 24 * HOUR;
    expect(await failureOf(() => verifyEmail({ email: EMAIL, code }, office))).toMatchObject({
      code: 'key_refused',
    });
    office.clock.now -= 1;
    expect(await verifyEmail({ email: EMAIL, code }, office)).toMatchObject({ email: EMAIL });
  });

  test('is spent after five wrong tries', async () => {
    const office = await tinyOffice();
    await requestVerification({ email: EMAIL }, office);
    for (let tries = 0; tries < 5; tries += 1) {
      const failure = await failureOf(() => verifyEmail({ email: EMAIL, code: '0000-0000-0000' }, office));
      expect(failure.found).toMatch(/^another one/);
    }
    const code = codeIn(office.mails[0]!);
    const failure = await failureOf(() => verifyEmail({ email: EMAIL, code }, office));
    expect(failure.found).toMatch(/^a code after 5 wrong ones/);
    expect(await office.store.verifiedAt(EMAIL)).toBeNull();
  });

  test('of another address is no good', async () => {
    const office = await tinyOffice();
    await requestVerification({ email: EMAIL }, office);
    await requestVerification({ email: 'bo@university.example' }, office);
    const code = codeIn(office.mails[0]!);
    const failure = await failureOf(() => verifyEmail({ email: 'bo@university.example', code }, office));
    expect(failure.found).toMatch(/^another one/);
  });

  test('that was mistyped beyond reading costs no try, and is not repeated', async () => {
    const office = await tinyOffice();
    await requestVerification({ email: EMAIL }, office);
    const code = codeIn(office.mails[0]!);
    for (let tries = 0; tries < 6; tries += 1) {
      const failure = await failureOf(() => verifyEmail({ email: EMAIL, code: `${code}U` }, office));
      expect(failure).toMatchObject({ code: 'usage', place: '--code' });
      expect(failure.message).not.toContain(code.slice(0, 4));
    }
    expect(await verifyEmail({ email: EMAIL, code }, office)).toMatchObject({ email: EMAIL });
  });

  test('is sent three times a day to one address', async () => {
    const office = await tinyOffice();
    for (let times = 0; times < 3; times += 1) await requestVerification({ email: EMAIL }, office);
    expect(await failureOf(() => requestVerification({ email: EMAIL }, office))).toMatchObject({
      code: 'key_refused',
      expected: 'at most 3 codes to an address in 24 hours',
    });
    expect(office.mails).toHaveLength(3);
    await requestVerification({ email: 'bo@university.example' }, office);
    office.clock.now += 24 * HOUR + 1;
    await requestVerification({ email: EMAIL }, office);
    expect(office.mails).toHaveLength(5);
  });

  test('is sent two hundred times a day to all', async () => {
    const office = await tinyOffice();
    for (let n = 0; n < 200; n += 1) await requestVerification({ email: `e${n}@university.example` }, office);
    expect(await failureOf(() => requestVerification({ email: EMAIL }, office))).toMatchObject({
      expected: 'at most 200 codes to all addresses in 24 hours',
    });
  });

  test('whose mail fails is forgotten, and does not count', async () => {
    let code = '';
    const office = await tinyOffice(async (mail) => {
      code = codeIn(mail);
      throw new Error('no');
    });
    for (let times = 0; times < 4; times += 1) {
      await expect(requestVerification({ email: EMAIL }, office)).rejects.toThrow('no');
    }
    expect(await failureOf(() => verifyEmail({ email: EMAIL, code }, office))).toMatchObject({
      found: expect.stringMatching(/without an open code/),
    });
  });

  test('needs a mail server', async () => {
    const office = { ...(await tinyOffice()), mailer: null };
    expect(await failureOf(() => requestVerification({ email: EMAIL }, office))).toMatchObject({
      code: 'config_invalid',
    });
  });
});
