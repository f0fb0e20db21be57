import { readTrustFile } from '../../../pipeline/artifacts/read-companions.ts';
import { formatDocument } from '../../../pipeline/attestation/document.ts';
import { printable } from '../../../pipeline/attestation/printable.ts';
import { signAttestation } from '../../../pipeline/attestation/sign-attestation.ts';
import { text } from '../../../pipeline/config/setting.ts';
import { defineCommand } from '../command.ts';
import { printProblems, readInput, readPrivate, STANDARD_INPUT } from './input.ts';
import { openKey, parseKeyFile } from './key-file.ts';
import { askPassphrase, givenPassphrase, PASSPHRASE_SETTINGS } from './passphrase.ts';

export const attestSign = defineCommand({
  summary: "Signs a document with a companion's key, and prints it. Refuses one that would not verify.",
  examples: ['cathedral attest sign --key-file lantern.key --file draft.json > signed.json'],
  isReader: true,
  settings: ['attestationKey', ...PASSPHRASE_SETTINGS, 'companions'],
  required: { attestationKey: true },
  flags: {
    file: {
      flag: 'file',
      default: STANDARD_INPUT,
      unit: 'a file, or - for standard input',
      description: 'The document to sign.',
      schema: text,
    },
  },
  async run(config, { now, print, progress }) {
    const { attestationKey: place, companions } = config;
    const sealed = parseKeyFile(await readPrivate(place), place);
    const document = await readInput(config.file);
    const known = companions === null ? null : await readTrustFile(companions);
    const passphrase =
      (await givenPassphrase(config)) ??
      (await askPassphrase(`Passphrase of ${printable(sealed.companion)}: `));
    const signed = signAttestation(document, openKey(sealed, passphrase, place), now(), known);
    if (signed.document === null) {
      printProblems(signed.problems, progress);
      return 1;
    }
    print(formatDocument(signed.document));
    return 0;
  },
});
