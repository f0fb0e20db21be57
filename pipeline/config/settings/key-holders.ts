import { settings, text } from '../setting.ts';

export const KEY_HOLDERS = settings('API keys', {
  smtpUrl: {
    flag: null,
    env: 'SMTP_URL',
    unit: 'smtps://user:password@host or smtp://…',
    description:
      'The mail server that sends keys and codes. It contains a password, so it is read from the environment only.',
    secret: true,
  },
  mailFrom: {
    unit: 'an address, or a name with one: Cathedral <keys@data.example.org>',
    description: 'The sender of mails. Required together with SMTP_URL.',
    schema: text.regex(/^([^<>@\r\n]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/),
  },
});
