import { z } from 'zod';
import { PUBLISHING_SETTINGS } from './publishing-settings.ts';
import { type Setting, text, truth } from './setting.ts';

/** A UTC date-time, ms since 1970. */
const moment = z.iso.datetime({ offset: false, local: false }).transform((given) => Date.parse(given));

/** In [0, 1]. */
const share = z
  .string()
  .regex(/^(0(\.\d{1,15})?|1(\.0{1,15})?)$/)
  .transform(Number);

/** What is said of Companion Attestations and keys; what goes into a document is checked by the document's own schema. */
export const ATTESTATION_SETTINGS = {
  companions: {
    flag: 'companions',
    env: 'CATHEDRAL_COMPANIONS',
    default: null,
    unit: 'a JSON file of companions and wallets',
    description:
      'Who may attest, with which keys, and the wallets behind ledger ids; all of it is published. Without it: nobody. In a sample ledger: the sample’s companions, whose keys are published, prove nothing, and are refused for any other ledger. The form: {"companions": [{"companion": NAME, "keys": [{"algorithm": "ed25519", "public_key": HEX, "valid_from": DATE-TIME, "valid_until": DATE-TIME or left out}]}], "wallets": [{"ledger_id": UUID, "address": 0x…}]}; what `attest keygen` prints, or the companions.json that a service publishes.',
    path: true,
    schema: text,
  },
  attestationKey: {
    flag: 'key',
    env: 'CATHEDRAL_ATTESTATION_KEY',
    default: null,
    unit: 'a file',
    description: 'For `attest`: the key file, which `keygen` writes and `sign` reads. It is encrypted.',
    path: true,
    schema: text,
  },
  attestationPassphrase: {
    flag: null,
    env: 'CATHEDRAL_PASSPHRASE',
    default: null,
    unit: '12 characters or more',
    description:
      'For `attest`: what the key file is encrypted with, where no --passphrase-file is given. Without either, you are asked on the terminal. By variable alone, it is a secret; other programs of the same user can read it, so prefer the file.',
    secret: true,
    schema: text,
  },
  attestationPassphraseFile: {
    flag: 'passphrase-file',
    env: 'CATHEDRAL_PASSPHRASE_FILE',
    default: null,
    unit: 'a file that its owner alone can read, or a pipe',
    description:
      'For `attest`: where the first line is what the key file is encrypted with. Without it: CATHEDRAL_PASSPHRASE, else you are asked on the terminal.',
    path: true,
    schema: text,
  },
  attestationCompanion: {
    flag: 'companion',
    env: null,
    default: null,
    unit: 'the name of a companion, at most 200 characters',
    description: 'For `attest`: the companion whose key it is, and who attests.',
    schema: text.max(200),
  },
  attestationAlgorithm: {
    flag: 'algorithm',
    env: null,
    default: null,
    unit: 'ed25519 or ecdsa-secp256k1',
    description:
      'For `attest`: what the companion signs with. Without it: what the draft says, else ed25519.',
    schema: z.enum(['ed25519', 'ecdsa-secp256k1']),
  },
  attestationDraft: {
    flag: 'draft',
    env: null,
    default: null,
    unit: 'a JSON file',
    description:
      'For `attest new`: a document that the new one begins with; flags go before what it has. Its signature is left out.',
    path: true,
    schema: text,
  },
  attestationLedgerId: {
    flag: 'ledger-id',
    env: null,
    default: null,
    unit: 'a UUID',
    description: 'For `attest new`: the entity that requests authority.',
    schema: text,
  },
  attestationScope: {
    flag: 'scope',
    env: null,
    default: null,
    unit: 'permissions like ledger.read.export, separated by commas',
    description: 'For `attest new`: what is requested.',
    schema: text,
  },
  attestationRisk: {
    flag: 'risk',
    env: null,
    default: null,
    unit: 'low, medium, high or critical',
    description: 'For `attest new`: the level of risk.',
    schema: text,
  },
  attestationRiskReason: {
    flag: 'risk-justification',
    env: null,
    default: null,
    unit: 'free text',
    description: 'For `attest new`: why the risk is what it is.',
    schema: text,
  },
  attestationJustification: {
    flag: 'justification',
    env: null,
    default: null,
    unit: 'a JSON file',
    description: 'For `attest new`: the EPICON-01 justification, which is hashed and put into the document.',
    path: true,
    schema: text,
  },
  attestationHashOnly: {
    flag: 'hash-only',
    env: null,
    default: 'false',
    unit: 'true or false',
    description: 'For `attest new`: puts the hash of the justification into the document, and not the text.',
    switch: true,
    schema: truth,
  },
  attestationWallet: {
    flag: 'wallet-signature',
    env: null,
    default: null,
    unit: '0x and 130 hex digits',
    description:
      'For `attest new`: the signature by the wallet. Without it, the text that it has to sign is told. It is over a certain end, so it needs --draft with the document that was printed with that text, or --expires-at.',
    schema: text,
  },
  attestationDays: {
    flag: 'days',
    env: null,
    default: null,
    unit: 'days, 1 to 90',
    description:
      'For `attest new`: how long the attestation is for. Without it: what the draft says, else 30.',
    schema: z
      .string()
      .regex(/^([1-9]|[1-8][0-9]|90)$/)
      .transform(Number),
  },
  attestationExpires: {
    flag: 'expires-at',
    env: null,
    default: null,
    unit: 'a date-time: 2026-01-31T06:00:00Z',
    description: 'For `attest new`: the end of the attestation, in place of --days.',
    schema: text,
  },
  attestationCcr: {
    flag: 'ccr-score',
    env: null,
    default: null,
    unit: 'a number, 0 to 1',
    description: 'For `attest new`: the Cross-Context Robustness score.',
    schema: share,
  },
  attestationThreshold: {
    flag: 'drift-threshold',
    env: null,
    default: null,
    unit: 'a number, 0 to 1',
    description:
      'For `attest new`: the drift score that revokes. Without it the document says nothing, which means 0.1.',
    schema: share,
  },
  attestationInterval: {
    flag: 'check-interval',
    env: null,
    default: null,
    unit: 'an ISO 8601 duration',
    description:
      'For `attest new`: how often drift is to be checked. Without it the document says nothing, which means P1D.',
    schema: text,
  },
  attestationUnwatched: {
    flag: 'without-drift-monitoring',
    env: null,
    default: 'false',
    unit: 'true or false',
    description: 'For `attest new`: has drift not monitored, which the document then says.',
    switch: true,
    schema: truth,
  },
  attestationContext: {
    flag: 'request-context',
    env: null,
    default: null,
    unit: 'free text',
    description: 'For `attest new`: what the request was made for.',
    schema: text,
  },
  attestationPrevious: {
    flag: 'previous',
    env: null,
    default: null,
    unit: 'the UUID of an attestation, as verify shows it',
    description: 'For `attest new`: the attestation that this one renews.',
    schema: text,
  },
  attestationTrail: {
    flag: 'audit-trail-id',
    env: null,
    default: null,
    unit: 'free text',
    description: 'For `attest new`: what the audit trail knows the request by.',
    schema: text,
  },
  attestationFile: {
    flag: 'file',
    env: null,
    default: '-',
    unit: 'a file, or - for standard input',
    description: 'For `attest sign`: the document to sign.',
    schema: text,
  },
  attestationFiles: {
    flag: 'file',
    env: null,
    default: '-',
    unit: 'files or patterns like signed/*.json, separated by commas; - is standard input',
    description: 'For `attest verify`: the documents to verify. The whole may be one name with commas in it.',
    schema: text,
  },
  attestationLedger: {
    flag: 'ledger',
    env: 'CATHEDRAL_LEDGER',
    default: null,
    unit: 'a folder, or civic+http(s)://… for a remote ledger',
    description:
      'For `attest verify`: the ledger that knows of revocations and renewals. Without it the document and its signature are verified alone.',
    path: true,
    schema: PUBLISHING_SETTINGS.checkedLedger.schema,
  },
  attestationAt: {
    flag: 'at',
    env: null,
    default: null,
    unit: 'a UTC date-time: 2025-12-01T06:00:00Z',
    description:
      'For `attest verify` and `attest status`: the moment as of which it is answered; later events are left out. Without it: every event counts, and now is the clock or the newest event, whichever is later.',
    schema: moment,
  },
  attestationRevokedAt: {
    flag: 'at',
    env: null,
    default: null,
    unit: 'a UTC date-time: 2025-12-01T06:00:00Z',
    description:
      'For `attest revoke`: the time of the revocation. Without it: the clock, or the ledger’s last event where that is later. It has to be given where the clock is more than a day ahead of the last event: one event with a wrong time ends all attestations.',
    schema: moment,
  },
  attestationId: {
    flag: 'id',
    env: null,
    default: null,
    unit: 'the id of an attestation, 64 hex digits, or its UUID',
    description: 'For `attest status` and `attest revoke`: which attestation.',
    schema: text,
  },
  attestationReason: {
    flag: 'reason',
    env: null,
    default: null,
    unit: 'one line, at most 200 characters',
    description: 'For `attest revoke`: why, for the ledger, where everybody can read it.',
    schema: z.string().regex(/^[^\p{Cc}\p{Cs}]{1,200}$/u),
  },
  attestationAgent: {
    flag: 'agent',
    env: null,
    default: 'REGISTRY',
    unit: 'a name',
    description: 'For `attest revoke`: who revokes; the agent of the event.',
    schema: text,
  },
} as const satisfies Record<string, Setting>;
