import { describe, expect, test } from 'vitest';
import { requestVerification, verifyEmail } from '../../../src/sidecar/keys/verify-email.ts';
import { failureOf } from '../../release/temporary-folder.ts';
import { codeIn, NOW, tinyKeyServices } from './tiny-key-services.ts';

const EMAIL = 'eve@university.example';
const HOUR = 3_600_000;

describe('a code', () => {
  test('verifies the address that it was mailed to, once', async () => {
    const services = await tinyKeyServices();
    expect(await requestVerification({ email: 'Eve@University.example' }, services)).toEqual({
      email: EMAIL,
      expiresAt: NOW + 24 * HOUR,
    });
    expect(services.mails.map(({ to }) => to)).toEqual([EMAIL]);
    const code = codeIn(services.mails[0]!);
    expect(await verifyEmail({ email: EMAIL, code }, services)).toEqual({ email: EMAIL, verifiedAt: NOW });
    expect(await failureOf(() => verifyEmail({ email: EMAIL, code }, services))).toMatchObject({
      code: 'key_refused',
      found: expect.stringMatching(/without a pending code/),
    });
  });

  test.each([
    (code: string) => code.toLowerCase(),
    (code: string) => code.replaceAll('-', ''),
    (code: string) => ` ${code.replaceAll('-', ' ')} `,
  ])('may be typed as people do', async (type) => {
    const services = await tinyKeyServices();
    await requestVerification({ email: EMAIL }, services);
    const code = type(codeIn(services.mails[0]!));
    expect(await verifyEmail({ email: EMAIL, code }, services)).toMatchObject({ email: EMAIL });
  });

  test('ends after a day', async () => {
    const services = await tinyKeyServices();
    await requestVerification({ email: EMAIL }, services);
    const code = codeIn(services.mails[0]!);
    services.clock.now += 24 * HOUR;
    expect(await failureOf(() => verifyEmail({ email: EMAIL, code }, services))).toMatchObject({
      code: 'key_refused',
    });
    services.clock.now -= 1;
    expect(await verifyEmail({ email: EMAIL, code }, services)).toMatchObject({ email: EMAIL });
  });

  test('is spent after five wrong tries', async () => {
    const services = await tinyKeyServices();
    await requestVerification({ email: EMAIL }, services);
    for (let tries = 0; tries < 5; tries += 1) {
      const failure = await failureOf(() => verifyEmail({ email: EMAIL, code: '0000-0000-0000' }, services));
      expect(failure.found).toMatch(/^a different code/);
    }
    const code = codeIn(services.mails[0]!);
    const failure = await failureOf(() => verifyEmail({ email: EMAIL, code }, services));
    expect(failure.found).toMatch(/^an attempt after 5 wrong codes/);
    expect(await services.store.verifiedAt(EMAIL)).toBeNull();
  });

  test('of another address is no good', async () => {
    const services = await tinyKeyServices();
    await requestVerification({ email: EMAIL }, services);
    await requestVerification({ email: 'bo@university.example' }, services);
    const code = codeIn(services.mails[0]!);
    const failure = await failureOf(() => verifyEmail({ email: 'bo@university.example', code }, services));
    expect(failure.found).toMatch(/^a different code/);
  });

  test('that was mistyped beyond reading costs no try, and is not repeated', async () => {
    const services = await tinyKeyServices();
    await requestVerification({ email: EMAIL }, services);
    const code = codeIn(services.mails[0]!);
    for (let tries = 0; tries < 6; tries += 1) {
      const failure = await failureOf(() => verifyEmail({ email: EMAIL, code: `${code}U` }, services));
      expect(failure).toMatchObject({ code: 'usage', place: '--code' });
      expect(failure.message).not.toContain(code.slice(0, 4));
    }
    expect(await verifyEmail({ email: EMAIL, code }, services)).toMatchObject({ email: EMAIL });
  });

  test('is sent three times a day to one address', async () => {
    const services = await tinyKeyServices();
    for (let times = 0; times < 3; times += 1) await requestVerification({ email: EMAIL }, services);
    expect(await failureOf(() => requestVerification({ email: EMAIL }, services))).toMatchObject({
      code: 'key_refused',
      expected: 'at most 3 codes to an address in 24 hours',
    });
    expect(services.mails).toHaveLength(3);
    await requestVerification({ email: 'bo@university.example' }, services);
    services.clock.now += 24 * HOUR + 1;
    await requestVerification({ email: EMAIL }, services);
    expect(services.mails).toHaveLength(5);
  });

  test('is sent two hundred times a day to all', async () => {
    const services = await tinyKeyServices();
    for (let n = 0; n < 200; n += 1)
      await requestVerification({ email: `e${n}@university.example` }, services);
    expect(await failureOf(() => requestVerification({ email: EMAIL }, services))).toMatchObject({
      expected: 'at most 200 codes to all addresses in 24 hours',
    });
  });

  test('whose mail fails is forgotten, and does not count', async () => {
    let code = '';
    const services = await tinyKeyServices(async (mail) => {
      code = codeIn(mail);
      throw new Error('no');
    });
    for (let times = 0; times < 4; times += 1) {
      await expect(requestVerification({ email: EMAIL }, services)).rejects.toThrow('no');
    }
    expect(await failureOf(() => verifyEmail({ email: EMAIL, code }, services))).toMatchObject({
      found: expect.stringMatching(/without a pending code/),
    });
  });

  test('needs a mail server', async () => {
    const services = { ...(await tinyKeyServices()), mailer: null };
    expect(await failureOf(() => requestVerification({ email: EMAIL }, services))).toMatchObject({
      code: 'config_invalid',
    });
  });
});
