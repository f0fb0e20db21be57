import { type Setting, text } from '../setting.ts';

export const KEY_HOLDERS = {
  keys: {
    group: 'API keys',
    flag: 'keys',
    env: 'CATHEDRAL_KEYS',
    default: 'var/keys/keys.sqlite',
    unit: 'a file on a local disk',
    description:
      'The database of API keys: their hashes, holders and expiry times. Back it up: without it, the service knows no key.',
    path: true,
    schema: text,
  },
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
  accessLog: {
    group: 'Access log',
    flag: 'access-log',
    env: 'CATHEDRAL_ACCESS_LOG',
    default: 'var/access-log',
    unit: 'a folder on a local disk',
    description: 'The access log: every request for a restricted file.',
    path: true,
    schema: text,
  },
} as const satisfies Record<string, Setting>;
