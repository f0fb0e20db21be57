import { randomBytes } from 'node:crypto';
import { readTrustFile } from '../../pipeline/artifacts/read-companions.ts';
import { formatDocument } from '../../pipeline/attestation/document.ts';
import { printable } from '../../pipeline/attestation/printable.ts';
import type { Problem } from '../../pipeline/attestation/problem.ts';
import type { Registry } from '../../pipeline/attestation/registry.ts';
import { signAttestation } from '../../pipeline/attestation/sign-attestation.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { registryOfState } from '../../pipeline/model/companions.ts';
import {
  askNewPassphrase,
  askPassphrase,
  givenPassphrase,
  PASSPHRASE_SETTINGS,
} from './attestation/ask-passphrase.ts';
import {
  DRAFT_SETTINGS,
  draftAttestation,
  flagFor,
  NEEDED_OF_DRAFTS,
} from './attestation/draft-attestation.ts';
import { formatStatus } from './attestation/format-status.ts';
import { formatVerdict } from './attestation/format-verdict.ts';
import { openKey, parseKeyFile } from './attestation/key-file.ts';
import { lookUp } from './attestation/look-up.ts';
import { assertFree, makeKey } from './attestation/make-key.ts';
import { listFiles, readInput, readPrivate } from './attestation/read-input.ts';
import { readLedger } from './attestation/read-ledger.ts';
import { revokeAttestation } from './attestation/revoke-attestation.ts';
import { trustedCompanions } from './attestation/trusted-companions.ts';
import { verifyFiles } from './attestation/verify-files.ts';
import { type Command, type Context, defineCommand } from './command.ts';
import { localLedger, openSource, SOURCE_SETTINGS } from './ledger-source.ts';
import { required } from './required.ts';

const REQUIRED = 'required';

const keygen = defineCommand({
  summary: 'Makes a companion’s key, encrypted with a passphrase, and prints what registers its public half.',
  settings: [
    'attestationCompanion',
    'attestationAlgorithm',
    'attestationKey',
    ...PASSPHRASE_SETTINGS,
    'json',
  ],
  needs: { attestationCompanion: REQUIRED, attestationKey: REQUIRED },
  async run(config, { now, print, progress }) {
    const path = required('attestationKey', config.attestationKey);
    const companion = required('attestationCompanion', config.attestationCompanion);
    const algorithm = config.attestationAlgorithm ?? 'ed25519';
    await assertFree(path);
    const passphrase = (await givenPassphrase(config)) ?? (await askNewPassphrase());
    const entry = await makeKey({ path, companion, algorithm, passphrase, now: now() }, randomBytes);
    if (!config.json)
      progress.note(`The key is in ${path}, encrypted. To register it, add this to the companions:`);
    printJson(print, entry);
    return 0;
  },
});

const draft = defineCommand({
  summary: 'Prints a new unsigned document, from flags and files.',
  settings: DRAFT_SETTINGS,
  needs: NEEDED_OF_DRAFTS,
  async run(config, { now, print, progress }) {
    const { document, problems, walletText, walletNote } = await draftAttestation(config, now());
    if (problems.length > 0) return refuse(problems, progress, flagFor);
    print(formatDocument(document));
    if (walletText !== null)
      progress.note(
        `Before it can be signed, the wallet has to sign these five lines (EIP-191):\n${walletText}\nThen put its signature in: attest new --draft DOCUMENT --wallet-signature SIGNATURE`,
      );
    if (walletNote !== null) progress.note(walletNote);
    return 0;
  },
});

const sign = defineCommand({
  summary: 'Prints the document with a companion’s signature; refuses one that would not verify.',
  settings: ['attestationFile', 'attestationKey', ...PASSPHRASE_SETTINGS, 'companions'],
  needs: { attestationKey: REQUIRED },
  async run(config, { now, print, progress }) {
    const { attestationFile: file, companions } = config;
    const place = required('attestationKey', config.attestationKey);
    const sealed = parseKeyFile(await readPrivate(place), place);
    const document = await readInput(file);
    const known = companions === null ? null : await readTrustFile(companions);
    const passphrase =
      (await givenPassphrase(config)) ??
      (await askPassphrase(`Passphrase of ${printable(sealed.companion)}: `));
    const signed = signAttestation(document, openKey(sealed, passphrase, place), now(), known);
    if (signed.document === null) return refuse(signed.problems, progress);
    print(formatDocument(signed.document));
    return 0;
  },
});

const verify = defineCommand({
  summary:
    'Says of each document whether it may be relied upon, and why not; exits 1 where one may not, 2 where one cannot be read.',
  settings: [
    'attestationFiles',
    'companions',
    'attestationLedger',
    ...SOURCE_SETTINGS,
    'attestationAt',
    'json',
  ],
  needs: { companions: 'required, unless --ledger is a sample' },
  async run(config, context) {
    const { attestationFiles, attestationLedger: source, attestationAt, json } = config;
    const { print, progress } = context;
    const files = listFiles(attestationFiles);
    const local = source && (await openSource(source, config, context));
    const trusted = await trustedCompanions(config.companions, local, progress);
    const ledger = local && (await readLedger(local, attestationAt));
    progress.end();
    const registry = ledger ? registryOfState(ledger.state) : trusted.registry;
    assertNotBefore(registry, attestationAt);
    const trust = { ...trusted, registry, now: attestationAt ?? context.now() };
    const verdicts = [];
    for await (const verdict of verifyFiles(files, trust)) {
      verdicts.push(verdict);
      if ('error' in verdict) progress.note(printable(verdict.error));
      else if (!json) print(formatVerdict(verdict));
    }
    if (json) printJson(print, verdicts);
    if (verdicts.some((verdict) => 'error' in verdict)) return 2;
    return verdicts.every(({ valid }) => valid) ? 0 : 1;
  },
});

const status = defineCommand({
  summary: 'Says what the ledger has of an attestation; exits 1 where it is not active.',
  settings: ['attestationId', 'ledger', ...SOURCE_SETTINGS, 'attestationAt', 'json'],
  needs: { attestationId: REQUIRED },
  async run(config, context) {
    const { print, progress } = context;
    const id = required('attestationId', config.attestationId);
    const { ledger: source, attestationAt } = config;
    const ledger = await readLedger(await openSource(source, config, context), attestationAt);
    progress.end();
    const described = lookUp(ledger, id, attestationAt ?? context.now());
    if (config.json) printJson(print, described);
    else print(formatStatus(described));
    return described.status === 'active' ? 0 : 1;
  },
});

const revoke = defineCommand({
  summary: 'Appends a revocation to a ledger in a folder; it is final.',
  settings: [
    'attestationId',
    'attestationReason',
    'attestationAgent',
    'attestationRevokedAt',
    'ledger',
    ...SOURCE_SETTINGS,
    'json',
  ],
  needs: { attestationId: REQUIRED, attestationReason: REQUIRED },
  async run(config, { now, print }) {
    const { ledger: source, attestationAgent: agent } = config;
    const attestation = required('attestationId', config.attestationId);
    const reason = required('attestationReason', config.attestationReason);
    if (source.kind !== 'directory') {
      const fault = { place: '--ledger', expected: 'a ledger in a folder', found: `civic+${source.url}` };
      throw new CathedralError('config_invalid', fault);
    }
    const revocation = { attestation, reason, agent, now: now(), at: config.attestationRevokedAt };
    const event = await revokeAttestation(await localLedger(source, config), revocation);
    if (config.json) printJson(print, event);
    else print(`${event.data.attestation} is revoked from ${event.timestamp} on: event ${event.seq}.`);
    return 0;
  },
});

/** By name, in the order in which an attestation lives. */
export const ATTEST: Readonly<Record<string, Command>> = {
  'attest keygen': keygen,
  'attest new': draft,
  'attest sign': sign,
  'attest verify': verify,
  'attest status': status,
  'attest revoke': revoke,
};

/** Throws config_invalid for a moment before the registry's: only a ledger's later events can be left out. */
function assertNotBefore(registry: Registry | null, at: number | null): void {
  if (at === null || !registry?.asOf || at >= Date.parse(registry.asOf)) return;
  const expected = `${registry.asOf} or later, as of which the companions are, or the --ledger`;
  throw new CathedralError('config_invalid', { place: '--at', expected, found: new Date(at).toISOString() });
}

/** `flagFor`: the flag that a place in the document comes from, where one does. */
function refuse(
  problems: readonly Problem[],
  progress: Context['progress'],
  flagFor: (pointer: string) => string | null = () => null,
): 1 {
  for (const { code, pointer, message } of problems) {
    const place = pointer || '/';
    const flag = flagFor(pointer);
    progress.note(printable(`${flag === null ? place : `${flag} (${place})`}: ${message} (${code})`));
  }
  return 1;
}

function printJson(print: Context['print'], value: unknown): void {
  print(JSON.stringify(value, null, 2));
}
