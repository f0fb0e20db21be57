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

  test('needs a mail server', async () => {
    const services = { ...(await tinyKeyServices()), mailer: null };
    expect(await failureOf(() => requestVerification({ email: EMAIL }, services))).toMatchObject({
      code: 'config_invalid',
    });
  });
});
