import { address, integer, type Setting, SWITCH, text } from '../setting.ts';

export const MIRROR = {
  mirrorOrigin: {
    group: 'Mirror and verification',
    flag: 'origin',
    env: 'CATHEDRAL_MIRROR_ORIGIN',
    default: null,
    unit: 'http(s)://host[:port][/path]',
    description: 'The address of the service to mirror, or of another mirror of it.',
    schema: address,
  },
  mirrorFolder: {
    group: 'Mirror and verification',
    flag: 'folder',
    env: 'CATHEDRAL_MIRROR_FOLDER',
    default: null,
    unit: 'a folder',
    description: 'The folder of the mirror. It must contain nothing else.',
    path: true,
    schema: text,
  },
  readerKeys: {
    group: 'Mirror and verification',
    flag: 'verifier-key',
    env: 'CATHEDRAL_MIRROR_KEY',
    default: null,
    unit: 'a verifier key, or a file of them, one per line',
    description:
      'The publisher keys to trust. Without it, `mirror` trusts the keys that it saw first; `verify` trusts those that the manifest names, which proves that a copy is complete but not who published it.',
    schema: text,
  },
  policy: {
    group: 'Mirror and verification',
    flag: 'policy',
    env: 'CATHEDRAL_POLICY',
    default: null,
    unit: 'a file, as c2sp.org/tlog-policy describes it',
    description:
      "The logs and the witnesses to trust, and which of the witnesses must have cosigned the log's checkpoint, so that you know that others see the same log. Without it, cosignatures are ignored. Where the policy names logs, only the keys that it names count as the ledger's.",
    path: true,
    schema: text,
  },
  readerApiKey: {
    group: 'Mirror and verification',
    flag: null,
    env: 'CATHEDRAL_MIRROR_API_KEY',
    default: null,
    unit: 'an API key',
    description:
      'The API key to send to the origin, for a higher quota. It is a secret, so it is read from the environment only.',
    secret: true,
    schema: text,
  },
  withoutLinks: {
    group: 'Mirror and verification',
    flag: 'without-links',
    env: 'CATHEDRAL_MIRROR_WITHOUT_LINKS',
    description:
      'Makes `current` a folder instead of a symbolic link, for file systems without links. It is missing for a moment during each update.',
    ...SWITCH,
  },
  parallelRequests: {
    group: 'Mirror and verification',
    flag: 'parallel',
    env: 'CATHEDRAL_MIRROR_PARALLEL',
    default: '6',
    unit: 'requests, 1 to 32',
    description: 'Concurrent requests to the origin. Browsers also make six.',
    schema: integer(1, 32),
  },
  timeLimit: {
    group: 'Mirror and verification',
    flag: 'time-limit',
    env: 'CATHEDRAL_MIRROR_TIME_LIMIT',
    default: '3600',
    unit: 'seconds, 1 to 604800',
    description:
      'How long the command may take. The default, an hour, keeps two runs of an hourly timer from overlapping.',
    schema: integer(1, 604_800),
  },
  governmentKey: {
    group: 'Mirror and verification',
    flag: null,
    env: 'CATHEDRAL_GOVERNMENT_KEY',
    default: null,
    unit: 'a government key',
    description:
      'The API key with which `verify EXPORT --url` reads the entries of the log. It is a secret, so it is read from the environment only.',
    secret: true,
    schema: text,
  },
} as const satisfies Record<string, Setting>;
