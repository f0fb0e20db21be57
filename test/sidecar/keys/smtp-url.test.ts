import { describe, expect, test } from 'vitest';
import { parseSmtpUrl } from '../../../src/sidecar/keys/mailer.ts';

describe('SMTP_URL', () => {
  test.each([
    [
      'smtps://mail.example.org',
      { host: 'mail.example.org', port: 465, user: null, password: null, tls: 'start' },
    ],
    ['smtp://mail.example.org', { host: 'mail.example.org', port: 587, tls: 'upgrade' }],
    ['smtp://u:p@MAIL.example.org:25/', { host: 'mail.example.org', port: 25, user: 'u', password: 'p' }],
    ['smtp://127.0.0.1', { tls: 'none' }],
    ['smtp://127.9.9.9', { tls: 'none' }],
    ['smtp://[::1]:2525', { host: '::1', port: 2525, tls: 'none' }],
    ['smtp://localhost', { tls: 'none' }],
    ['smtp://mail.localhost', { tls: 'none' }],
    ['smtps://localhost', { tls: 'start' }],
    ['smtp://localhost.example.org', { tls: 'upgrade' }],
    ['smtp://127.0.0.1.example.org', { tls: 'upgrade' }],
    ['smtp://[2001:db8::1]', { host: '2001:db8::1', tls: 'upgrade' }],
  ])('%s is read', (url, expected) => {
    expect(parseSmtpUrl(url)).toMatchObject(expected);
  });

  test.each([
    '',
    'mail.example.org',
    'mail.example.org:587',
    'http://mail.example.org',
    'smtp:',
    'smtp://',
    'smtp://:25',
    'smtp://mail.example.org:99999',
    'smtp://mail.example.org/path',
    'smtp://mail.example.org?requireTLS=false',
    'smtps://mail.example.org?tls.rejectUnauthorized=false',
    'smtp://mail.example.org#x',
    'smtp://user@mail.example.org',
    'smtp://:geheim@mail.example.org',
    'smtp://user:geheim%@mail.example.org',
  ])('%j is refused', (url) => {
    expect(() => parseSmtpUrl(url)).toThrow(/^SMTP_URL: expected smtps:\/\/.*\(config_invalid\)$/);
    expect(() => parseSmtpUrl(url)).not.toThrow(/geheim/);
  });
});
