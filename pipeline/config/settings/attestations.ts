import { type Setting, text } from '../setting.ts';

export const ATTESTATIONS = {
  attestationKey: {
    group: 'Attestations',
    flag: 'key-file',
    env: 'CATHEDRAL_ATTESTATION_KEY',
    default: null,
    unit: 'a file',
    description: "The companion's encrypted key file, which `attest keygen` writes and `attest sign` reads.",
    path: true,
    schema: text,
  },
  attestationPassphrase: {
    group: 'Attestations',
    flag: null,
    env: 'CATHEDRAL_PASSPHRASE',
    default: null,
    unit: '12 characters or more',
    description:
      'The passphrase of the key file, unless --passphrase-file is given. Without either, the command asks on the terminal. It is a secret, so it is read from the environment only; other programs of the same user can read that, so prefer the file.',
    secret: true,
    schema: text,
  },
  attestationPassphraseFile: {
    group: 'Attestations',
    flag: 'passphrase-file',
    env: 'CATHEDRAL_PASSPHRASE_FILE',
    default: null,
    unit: 'a file that only its owner can read, or a pipe',
    description:
      'A file whose first line is the passphrase of the key file. It overrides CATHEDRAL_PASSPHRASE.',
    path: true,
    schema: text,
  },
} as const satisfies Record<string, Setting>;
