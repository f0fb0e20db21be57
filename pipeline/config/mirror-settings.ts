import { address, integer, pathOrAddress, type Setting, text, truth } from './setting.ts';

/** What copies of a service are made and verified with. */
export const MIRROR_SETTINGS = {
  mirrorOrigin: {
    flag: 'origin',
    env: 'CATHEDRAL_MIRROR_ORIGIN',
    default: null,
    unit: 'http(s)://host[:port][/path]',
    description: 'For `mirror`: the address of the service, or of another mirror of it.',
    schema: address,
  },
  mirrorFolder: {
    flag: 'folder',
    env: 'CATHEDRAL_MIRROR_FOLDER',
    default: null,
    unit: 'a folder',
    description: 'For `mirror`: where the copy is. Nothing else should be in it.',
    path: true,
    schema: text,
  },
  verifiedPlace: {
    flag: 'place',
    env: null,
    default: null,
    unit: 'http(s)://host[:port][/path], or a folder',
    description:
      'For `verify`: a service, a mirror, the folder of one of them, or a folder with a plain copy of what one serves.',
    path: true,
    schema: pathOrAddress(),
  },
  readerKeys: {
    flag: 'key',
    env: 'CATHEDRAL_MIRROR_KEY',
    default: null,
    unit: 'a verifier key, or a file of them, one a line',
    description:
      'Who may sign what is read. Without it, `mirror` trusts the keys that it has seen first, and `verify` those that the manifest names, which proves that a copy is whole and not whose it is.',
    schema: text,
  },
  readerLedgerKeys: {
    flag: 'ledger-key',
    env: 'CATHEDRAL_LEDGER_KEY',
    default: null,
    unit: 'a file of verifier keys, one a line',
    description:
      'For `mirror` and `verify`: who may sign the ledger’s checkpoint. Without it, its signature is not looked at; the publisher’s stands for it.',
    path: true,
    schema: text,
  },
  readerApiKey: {
    flag: null,
    env: 'CATHEDRAL_MIRROR_API_KEY',
    default: null,
    unit: 'an API key',
    description:
      'For `mirror` and `verify`: what the origin is asked with, where it limits requests without a key. By variable alone, it is a secret.',
    secret: true,
    schema: text,
  },
  acceptExpired: {
    flag: 'accept-expired',
    env: null,
    default: 'false',
    unit: 'true or false',
    description:
      'Takes a release although a newer one should be there by now, as where the publisher has ended its work.',
    switch: true,
    schema: truth,
  },
  staticOrigin: {
    flag: 'static',
    env: null,
    default: 'false',
    unit: 'true or false',
    description:
      'For `mirror` and `verify`: the host serves files only, so no answer may be newer than the release. Without it, a host without `/live` is taken for one; a folder always is.',
    switch: true,
    schema: truth,
  },
  recheck: {
    flag: 'recheck',
    env: null,
    default: 'false',
    unit: 'true or false',
    description: 'For `mirror`: reads every byte that is held, and brings again what is damaged.',
    switch: true,
    schema: truth,
  },
  withoutLinks: {
    flag: 'without-links',
    env: 'CATHEDRAL_MIRROR_WITHOUT_LINKS',
    default: 'false',
    unit: 'true or false',
    description:
      'For `mirror`: `current` is a folder in the place of a link, for file systems without them. For the moment between two renames it is not there.',
    switch: true,
    schema: truth,
  },
  parallelRequests: {
    flag: 'parallel',
    env: 'CATHEDRAL_MIRROR_PARALLEL',
    default: '6',
    unit: 'requests, 1 to 32',
    description: 'For `mirror` and `verify`: how many requests at once. Six: what a browser does.',
    schema: integer(1, 32),
  },
  transferStall: {
    flag: 'transfer-stall',
    env: 'CATHEDRAL_MIRROR_STALL',
    default: '30',
    unit: 'seconds, 1 to 3600',
    description:
      'For whatever reads a service over HTTP: how long a transfer may bring less than 8 kB a second before it is begun again.',
    schema: integer(1, 3600),
  },
  timeLimit: {
    flag: 'time-limit',
    env: 'CATHEDRAL_MIRROR_TIME_LIMIT',
    default: '3600',
    unit: 'seconds, 1 to 604800',
    description:
      'For whatever reads a service over HTTP: how long the whole run may take. An hour, so that the next run of a timer does not wait for this one.',
    schema: integer(1, 604_800),
  },
  sampleSize: {
    flag: 'sample',
    env: null,
    default: null,
    unit: 'a number, 1 to 1000000',
    description:
      'For `verify`: reads so many files, tiles and snapshots, drawn by lot, where to read all of them would take too long.',
    schema: integer(1, 1_000_000),
  },
  sampleSeed: {
    flag: 'seed',
    env: null,
    default: null,
    unit: 'a whole number, 0 to 4294967295',
    description:
      'For `verify --sample`: draws the same again. Without it the lot is new each time, and told.',
    schema: integer(0, 0xffffffff),
  },
  heldCheckpoint: {
    flag: 'checkpoint',
    env: null,
    default: null,
    unit: 'a file',
    description:
      'For `verify` and `verify-export`: a checkpoint of the log that you kept earlier, a signed note; the log has to go on from it.',
    path: true,
    schema: text,
  },
} as const satisfies Record<string, Setting>;
