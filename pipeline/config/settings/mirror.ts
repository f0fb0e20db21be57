import { address, headerSecret, numbers, SWITCH, settings } from '../setting.ts';

export const MIRROR = settings('Mirror and verification', {
  mirrorOrigin: {
    flag: 'origin',
    unit: 'http(s)://host[:port][/path]',
    description: 'The address of the service to mirror, or of another mirror of it.',
    schema: address,
  },
  mirrorFolder: {
    flag: 'folder',
    unit: 'a folder',
    description: 'The folder of the mirror. It must contain nothing else.',
    path: true,
  },
  readerKeys: {
    flag: 'verifier-key',
    env: 'CATHEDRAL_MIRROR_KEY',
    unit: 'a verifier key, or a file of them, one per line',
    description:
      'The publisher keys to trust. Without it, `mirror` trusts the keys that it saw first; `verify` trusts those that the manifest names, which proves that a copy is complete but not who published it.',
  },
  policy: {
    unit: 'a file, as c2sp.org/tlog-policy describes it',
    description:
      "The logs and the witnesses to trust, and which of the witnesses must have cosigned the log's checkpoint, so that you know that others see the same log. Without it, cosignatures are ignored. Where the policy names logs, only the keys that it names count as the ledger's.",
    path: true,
  },
  readerApiKey: {
    flag: null,
    env: 'CATHEDRAL_MIRROR_API_KEY',
    unit: 'an API key, in ASCII without spaces and line ends',
    description:
      'The API key to send to the origin, for a higher quota. It is a secret, so it is read from the environment only.',
    secret: true,
    schema: headerSecret,
  },
  withoutLinks: {
    env: 'CATHEDRAL_MIRROR_WITHOUT_LINKS',
    description:
      'Makes `current` a folder instead of a symbolic link, for file systems without links. It is missing for a moment during each update.',
    ...SWITCH,
  },
  parallelRequests: {
    flag: 'parallel',
    env: 'CATHEDRAL_MIRROR_PARALLEL',
    default: '6',
    ...numbers('requests', 1, 32),
    description: 'Concurrent requests to the origin. Browsers also make six.',
  },
  timeLimit: {
    env: 'CATHEDRAL_MIRROR_TIME_LIMIT',
    default: '3600',
    ...numbers('seconds', 1, 604_800),
    description:
      'How long the command may take. The default, an hour, keeps two runs of an hourly timer from overlapping.',
  },
  governmentKey: {
    flag: null,
    unit: 'a government key, in ASCII without spaces and line ends',
    description:
      'The API key with which `verify EXPORT --url` reads the entries of the log. It is a secret, so it is read from the environment only.',
    secret: true,
    schema: headerSecret,
  },
});
