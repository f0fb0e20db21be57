import { z } from 'zod';
import { SOURCE_SETTINGS } from '../../pipeline/config/settings.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { Id } from '../../pipeline/ledger/events/event.ts';
import { printable } from '../../pipeline/words/printable.ts';
import { algorithm, attestNew, companion, reportProblems, share } from './attest-new.ts';
import { defineCommand, type Flag, formatJson, json } from './command.ts';

const PASSPHRASE_SETTINGS = ['attestationPassphrase', 'attestationPassphraseFile'] as const;

const STANDARD_INPUT = '-';

/** A UTC date-time, ms since 1970. */
const moment = z.iso.datetime({ offset: false, local: false }).transform((given) => Date.parse(given));

const asOf = {
  unit: 'a UTC date-time: 2025-12-01T06:00:00Z',
  description:
    'Answers as of this time, ignoring later events. Without it, every event counts, and the time is that of the clock or of the newest event, whichever is later.',
  schema: moment,
} as const satisfies Flag;

const attestation = {
  unit: 'the id of an attestation, 64 hex digits, or its UUID',
  description: 'The attestation.',
  required: true,
} as const satisfies Flag;

const dryRun = {
  description: 'Checks everything and prints the result, but writes nothing.',
  switch: true,
} as const satisfies Flag;

/** Who reports it: the agent of an event. */
function agentFlag(description: string) {
  const unit = 'a name: at most 200 characters, the first none of = + - @';
  return { default: 'REGISTRY', unit, description, schema: Id } as const satisfies Flag;
}

/** The time of an event, by a flag that says what happens then. */
function timeFlag(what: string) {
  return {
    unit: 'a UTC date-time: 2025-12-01T06:00:00Z',
    description: `The time of ${what}. Without it, that of the clock or of the last event, whichever is later. It is required if the clock is more than a day ahead of the ledger, because one event with a wrong time expires all attestations.`,
    schema: moment,
  } as const satisfies Flag;
}

/** A document to read. */
function fileFlag(description: string) {
  return {
    default: STANDARD_INPUT,
    unit: 'a file, or - for standard input',
    description,
  } as const satisfies Flag;
}

const keygen = defineCommand({
  summary: "Makes a companion's signing key, encrypted with a passphrase, and prints its public half.",
  details:
    'The printed entry registers the key: put it into the file of --companions. The command asks for the passphrase unless it is given.',
  examples: [
    'cathedral attest keygen --companion LANTERN --key-file lantern.key > companions.json',
    'cathedral attest keygen --companion LANTERN --key-file lantern.key --passphrase-file lantern.pass --json',
  ],
  settings: ['attestationKey', ...PASSPHRASE_SETTINGS],
  required: { attestationKey: true },
  flags: {
    companion: { ...companion, required: true },
    algorithm,
    json: { ...json, description: 'Prints no advice on standard error. The result is JSON in any case.' },
  },
  async run(config, { now, progress, print }) {
    const { assertFree, makeKey } = await import('../../pipeline/attestation/key-file.ts');
    const { askNewPassphrase, givenPassphrase } = await import('./passphrase.ts');
    const { attestationKey: path, companion } = config;
    await assertFree(path);
    const passphrase = (await givenPassphrase(config)) ?? (await askNewPassphrase());
    const algorithm = config.algorithm ?? 'ed25519';
    const entry = await makeKey({ path, companion, algorithm, passphrase, now: now() });
    if (!config.json)
      progress.note(`The encrypted key is in ${path}. To register it, add this to the companions:`);
    print(formatJson(entry));
    return 0;
  },
});

const sign = defineCommand({
  summary: "Signs a document with a companion's key, and prints it. Refuses one that would not verify.",
  examples: ['cathedral attest sign --key-file lantern.key --file draft.json > signed.json'],
  isReader: true,
  settings: ['attestationKey', ...PASSPHRASE_SETTINGS, 'companions'],
  required: { attestationKey: true },
  flags: { file: fileFlag('The document to sign.') },
  async run(config, { now, progress, print }) {
    const { readTrustFile } = await import('../../pipeline/artifacts/read-companions.ts');
    const { readDocument, readPrivate } = await import('../../pipeline/attestation/given-files.ts');
    const { formatDocument } = await import('../../pipeline/attestation/document.ts');
    const { openKey, parseKeyFile } = await import('../../pipeline/attestation/key-file.ts');
    const { signAttestation } = await import('../../pipeline/attestation/sign-attestation.ts');
    const { askPassphrase, givenPassphrase } = await import('./passphrase.ts');
    const { attestationKey: place, companions } = config;
    const sealed = parseKeyFile(await readPrivate(place), place);
    const document = await readDocument(config.file);
    const known = companions === null ? null : await readTrustFile(companions);
    const passphrase =
      (await givenPassphrase(config)) ??
      (await askPassphrase(`Passphrase of ${printable(sealed.companion)}: `));
    const signed = signAttestation(document, openKey(sealed, passphrase, place), now(), known);
    if (signed.document === null) {
      reportProblems(signed.problems, progress);
      return 1;
    }
    print(formatDocument(signed.document));
    return 0;
  },
});

const verify = defineCommand({
  summary: 'Verifies Companion Attestations: whether each document may be relied upon, and if not, why.',
  details:
    'It exits with 1 if a document may not be relied upon, and with 2 if one cannot be read. Give --ledger to take revocations and renewals into account. `attest status` prints what the ledger holds about one attestation.',
  examples: [
    'cathedral attest verify --file signed.json --companions companions.json',
    "cathedral attest verify --file 'signed/*.json' --companions companions.json --ledger /srv/ledger --json",
  ],
  isReader: true,
  settings: ['companions', ...SOURCE_SETTINGS],
  optional: {
    ledger:
      'Its revocations and renewals count. Without it, only the document and its signature are verified.',
  },
  required: { companions: 'unless --ledger is a demo ledger' },
  flags: {
    files: {
      flag: 'file',
      default: STANDARD_INPUT,
      unit: 'files or patterns like signed/*.json, separated by commas; - is standard input',
      description: 'The documents to verify. A name that contains commas is taken as one file if it exists.',
    },
    asOf,
    json,
  },
  async run(config, context) {
    const { assertNotBefore, trustedCompanions } = await import(
      '../../pipeline/artifacts/read-companions.ts'
    );
    const { filesNamed, readDocument } = await import('../../pipeline/attestation/given-files.ts');
    const { formatVerdict, verifyAttestation } = await import(
      '../../pipeline/attestation/verify-attestation.ts'
    );
    const { readCompanionLedger } = await import('../../pipeline/model/companion-ledger.ts');
    const { registryOfState } = await import('../../pipeline/model/companions.ts');
    const { openLedger } = await import('../../pipeline/sources/open-ledger.ts');
    const { ledger: source, asOf, json } = config;
    const { print, progress } = context;
    const files = filesNamed(config.files);
    const local = source && (await openLedger(source, { ...config, mustExist: true }, context));
    const trusted = await trustedCompanions(config.companions, local, progress.note);
    const ledger = local && (await readCompanionLedger(local, asOf));
    const registry = ledger ? registryOfState(ledger.state) : trusted.registry;
    progress.end();
    assertNotBefore(registry, asOf);
    const trust = { ...trusted, registry, now: asOf ?? context.now() };
    const verdicts = [];
    for (const file of files) {
      // A file that cannot be read does not stop the others.
      const input = await readDocument(file).catch((error) => error as Error);
      if (input instanceof Error) {
        if (!(input instanceof CathedralError)) throw input;
        verdicts.push({ file, valid: false, error: input.message });
        progress.note(printable(input.message));
        continue;
      }
      const verdict = verifyAttestation(input, trust);
      verdicts.push({ file, ...verdict });
      if (!json) print(formatVerdict(file, verdict));
    }
    if (json) print(formatJson(verdicts));
    if (verdicts.some((verdict) => 'error' in verdict)) return 2;
    return verdicts.every(({ valid }) => valid) ? 0 : 1;
  },
});

const register = defineCommand({
  summary:
    'Registers an attestation by appending an event to a ledger in a folder, if the document verifies.',
  details:
    'It verifies the document as `attest verify` does with this ledger, and refuses one that is invalid, expired, revoked or registered already, and a renewal that the ledger would not accept. Everything in the event follows from the document. Until it is registered, its companion could replace the attestation at any time.',
  examples: ['cathedral attest register signed.json --companions companions.json --ledger /srv/ledger'],
  settings: ['companions', 'ledger', 'ledgerKey'],
  required: { companions: 'unless --ledger is a demo ledger' },
  positionals: ['file'],
  flags: {
    file: fileFlag('The signed document to register.'),
    agent: {
      unit: 'a name',
      description: 'Who reports it: the agent of the event. Without it, the companion.',
    },
    registeredAt: timeFlag('the registration'),
    withoutDocument: {
      description:
        'Leaves the document itself out of the event, for example because its justification is not for every reader of the ledger. Verifiers do not need it.',
      switch: true,
    },
    dryRun,
    json,
  },
  async run(config, { now, progress }) {
    const { trustedCompanions } = await import('../../pipeline/artifacts/read-companions.ts');
    const { readDocument } = await import('../../pipeline/attestation/given-files.ts');
    const { attestationUuid } = await import('../../pipeline/attestation/canonical-bytes.ts');
    const { appendCompanionEvent, registrationIn } = await import('../../pipeline/model/companion-ledger.ts');
    const { writableLedger } = await import('../../pipeline/sources/own-ledger.ts');
    const { file: place, dryRun, registeredAt: at, withoutDocument } = config;
    const local = await writableLedger(config);
    const input = await readDocument(place);
    const { companions } = await trustedCompanions(config.companions, local, progress.note);
    const notes: string[] = [];
    const { event } = await appendCompanionEvent<'companion_attested'>(
      { command: 'attest register', local, now: now(), at, atFlag: '--registered-at', dryRun },
      (ledger, clock) => {
        const registering = { place, companions, withoutDocument };
        const registration = registrationIn(ledger, input, registering, clock);
        notes.push(...registration.notes);
        const agent = config.agent ?? registration.companion;
        return { type: 'companion_attested', agent, data: registration.data };
      },
    );
    for (const line of notes) progress.note(line);
    const { attestation, expires_at } = event.data;
    const name = `${attestation} (${attestationUuid(attestation)})`;
    return {
      facts: event,
      lines: `${name} ${dryRun ? 'would be' : 'is'} registered as of ${event.timestamp}, until ${expires_at}: event ${event.seq}.`,
    };
  },
});

const status = defineCommand({
  summary: 'Prints what the ledger holds about an attestation.',
  details: 'It exits with 1 if the attestation is not active.',
  examples: ['cathedral attest status 0e1d2c3b-4a59-4687-9b6a-5c4d3e2f1a0b --json'],
  isReader: true,
  settings: ['ledger', ...SOURCE_SETTINGS],
  positionals: ['attestation'],
  flags: { attestation, asOf, json },
  async run(config, context) {
    const { formatStatus, lookUp, readCompanionLedger } = await import(
      '../../pipeline/model/companion-ledger.ts'
    );
    const { openLedger } = await import('../../pipeline/sources/open-ledger.ts');
    const { ledger, attestation, asOf } = config;
    const local = await openLedger(ledger, { ...config, mustExist: true }, context);
    const described = lookUp(await readCompanionLedger(local, asOf), attestation, asOf ?? context.now());
    return {
      facts: described,
      lines: formatStatus(described),
      status: described.status === 'active' ? 0 : 1,
    };
  },
});

const drift = defineCommand({
  summary: 'Records a drift score of an attestation, by appending an event to a ledger in a folder.',
  details:
    'A score at or above the threshold of the attestation revokes it for good, automatically. Use --dry-run to see what a score would do.',
  examples: [
    'cathedral attest drift 0e1d2c3b-4a59-4687-9b6a-5c4d3e2f1a0b 0.03 --agent WITNESS --ledger /srv/ledger',
  ],
  settings: ['ledger', 'ledgerKey'],
  positionals: ['attestation', 'score'],
  flags: {
    attestation,
    score: {
      unit: 'a number, 0 to 1',
      description: 'The drift score: how far the companion has moved from its reference behaviour.',
      required: true,
      schema: share,
    },
    agent: agentFlag('Who measured it: the agent of the event.'),
    checkedAt: timeFlag('the drift check'),
    dryRun,
    json,
  },
  async run(config, { now }) {
    const { appendCompanionEvent, effectOf, scorableId } = await import(
      '../../pipeline/model/companion-ledger.ts'
    );
    const { writableLedger } = await import('../../pipeline/sources/own-ledger.ts');
    const { attestation, score, agent, dryRun, checkedAt: at } = config;
    const local = await writableLedger(config);
    const { event, ledger } = await appendCompanionEvent<'companion_drift'>(
      { command: 'attest drift', local, now: now(), at, atFlag: '--checked-at', dryRun },
      (read, clock) => ({
        type: 'companion_drift',
        agent,
        data: { attestation: scorableId(read, attestation, clock), score },
      }),
    );
    const recorded = `${dryRun ? 'would be' : 'is'} recorded as of ${event.timestamp}: event ${event.seq}`;
    return {
      facts: event,
      lines: `A drift score of ${score} ${recorded}. ${effectOf(ledger, event.data)}`,
    };
  },
});

const revoke = defineCommand({
  summary: 'Revokes an attestation for good, by appending an event to a ledger in a folder.',
  examples: [
    'cathedral attest revoke 0e1d2c3b-4a59-4687-9b6a-5c4d3e2f1a0b --reason "The key was lost." --ledger /srv/ledger',
  ],
  settings: ['ledger', 'ledgerKey'],
  positionals: ['attestation'],
  flags: {
    attestation,
    reason: {
      unit: 'one line, at most 200 characters',
      description: 'Why it is revoked. Everybody can read it in the ledger.',
      required: true,
      schema: z.string().regex(/^[^\p{Cc}\p{Cs}]{1,200}$/u),
    },
    agent: agentFlag('Who revokes it: the agent of the event.'),
    revokedAt: timeFlag('the revocation'),
    dryRun,
    json,
  },
  async run(config, { now }) {
    const { appendCompanionEvent, revocableId } = await import('../../pipeline/model/companion-ledger.ts');
    const { writableLedger } = await import('../../pipeline/sources/own-ledger.ts');
    const { attestation, reason, agent, dryRun, revokedAt: at } = config;
    const local = await writableLedger(config);
    const { event } = await appendCompanionEvent<'companion_revoked'>(
      { command: 'attest revoke', local, now: now(), at, atFlag: '--revoked-at', dryRun },
      (read, clock) => ({
        type: 'companion_revoked',
        agent,
        data: { attestation: revocableId(read, attestation, clock), reason },
      }),
    );
    const revoked = `${dryRun ? 'would be' : 'is'} revoked as of ${event.timestamp}: event ${event.seq}`;
    return { facts: event, lines: `${event.data.attestation} ${revoked}.` };
  },
});

export const COMMANDS = {
  'attest keygen': keygen,
  'attest new': attestNew,
  'attest sign': sign,
  'attest verify': verify,
  'attest register': register,
  'attest status': status,
  'attest drift': drift,
  'attest revoke': revoke,
};
