import { z } from 'zod';
import { PUBLISHING_SETTINGS } from './publishing-settings.ts';
import { address, type Setting, text } from './setting.ts';

/** What is proved and verified of the log. */
export const LOG_SETTINGS = {
  provenEvent: {
    flag: 'event',
    env: null,
    default: null,
    unit: 'an attestation_hash: 64 hex digits, with 0x before them or not',
    description: 'For `prove` and `verify-proof`: the hash of the event, as the audited export has it.',
    schema: z
      .string()
      .regex(/^(0x)?[0-9a-f]{64}$/)
      .transform((hash) => hash.slice(-64)),
  },
  provenLedger: {
    flag: 'ledger',
    env: null,
    default: null,
    unit: 'a folder, or civic+http(s)://… for a remote ledger',
    description:
      'For `prove`: proves from the events of a ledger, up to its newest snapshot, and not from the published log of --out.',
    path: true,
    schema: PUBLISHING_SETTINGS.checkedLedger.schema,
  },
  proofFile: {
    flag: 'proof',
    env: null,
    default: null,
    unit: 'a file',
    description: 'For `verify-proof`: the proof, as `prove` printed it.',
    path: true,
    schema: text,
  },
  exportFile: {
    flag: 'export',
    env: null,
    default: null,
    unit: 'a file, or - for standard input',
    description: 'For `verify-export`: the audited export, as CSV, JSON or NDJSON.',
    schema: text,
  },
  exportFrom: {
    flag: 'from',
    env: null,
    default: null,
    unit: 'a date or a date-time, as in the export’s address',
    description:
      'For `verify-export`: where the export was asked to begin. Without it: what a JSON file says of itself, else with its own oldest row; what is missing before that is then not looked for.',
    schema: text,
  },
  exportTo: {
    flag: 'to',
    env: null,
    default: null,
    unit: 'a date or a date-time, as in the export’s address',
    description:
      'For `verify-export`: where the export was asked to end. Without it: what a JSON file says of itself, else with its own newest row.',
    schema: text,
  },
  exportFilter: {
    flag: 'filter',
    env: null,
    default: null,
    unit: 'RSQL, as in the export’s address',
    description:
      'For `verify-export`: the filter of the export. Without it: what a JSON file says of itself, else none.',
    schema: text,
  },
  logUrl: {
    flag: 'url',
    env: null,
    default: null,
    unit: 'http(s)://host[:port][/path]',
    description:
      'For `prove` and `verify-export`: the service, or the mirror of it, whose log is read, in place of that of --out.',
    schema: address.transform((value) => value.replace(/\/+$/, '')),
  },
  governmentKey: {
    flag: null,
    env: 'CATHEDRAL_GOVERNMENT_KEY',
    default: null,
    unit: 'a key',
    description:
      'For `verify-export` with --url: the key that the log’s entries are given for. By variable alone, it is a secret.',
    secret: true,
    schema: text,
  },
} as const satisfies Record<string, Setting>;
