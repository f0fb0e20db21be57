import { type Setting, text } from '../setting.ts';

export const KEY_HOLDERS = {
  smtpUrl: {
    group: 'API keys',
    flag: null,
    env: 'SMTP_URL',
    default: null,
    unit: 'smtps://user:password@host or smtp://…',
    description:
      'The mail server that sends keys and codes. It contains a password, so it is read from the environment only.',
    secret: true,
    schema: text,
  },
  mailFrom: {
    group: 'API keys',
    flag: 'mail-from',
    env: 'CATHEDRAL_MAIL_FROM',
    default: null,
    unit: 'an address, or a name with one: Cathedral <keys@data.example.org>',
    description: 'The sender of mails. Required together with SMTP_URL.',
    schema: text,
  },
} as const satisfies Record<string, Setting>;
