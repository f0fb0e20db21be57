import { settings } from '../setting.ts';

export const ATTESTATIONS = settings('Attestations', {
  attestationKey: {
    flag: 'key-file',
    unit: 'a file',
    description: "The companion's encrypted key file, which `attest keygen` writes and `attest sign` reads.",
    path: true,
  },
  attestationPassphrase: {
    flag: null,
    env: 'CATHEDRAL_PASSPHRASE',
    unit: '12 characters or more',
    description:
      'The passphrase of the key file, unless --passphrase-file is given. Without either, the command asks on the terminal. It is a secret, so it is read from the environment only; other programs of the same user can read that, so prefer the file.',
    secret: true,
  },
  attestationPassphraseFile: {
    flag: 'passphrase-file',
    env: 'CATHEDRAL_PASSPHRASE_FILE',
    unit: 'a file that only its owner can read, or a pipe',
    description:
      'A file whose first line is the passphrase of the key file. It overrides CATHEDRAL_PASSPHRASE.',
    path: true,
  },
});
