import { z } from 'zod';
import { address } from '../../pipeline/config/setting.ts';
import type { Flag } from './command.ts';

/** For the commands that read a whole service. */
export const READER_SETTINGS = [
  'readerKeys',
  'policy',
  'parallelRequests',
  'timeLimit',
  'readerApiKey',
] as const;

export const READER_FLAGS = {
  acceptExpired: {
    description:
      'Accepts an expired release, for example of a publisher that has stopped. Without it an expired release is refused, because somebody may be withholding a newer one.',
    switch: true,
  },
  staticOrigin: {
    flag: 'static',
    description:
      'The origin is a static host, so no answer may be newer than the release. Without it, a host without `/live` counts as one; a folder always does.',
    switch: true,
  },
} as const satisfies Record<string, Flag>;

/** What happens without --ledger-key. */
export const WITHOUT_LEDGER_KEY =
  "Without it, the signature of the ledger's checkpoint is not verified; you then rely on the publisher's signature.";

export const heldCheckpoint = {
  flag: 'checkpoint',
  unit: 'a file',
  description: 'A checkpoint of the log, as a signed note, that you kept earlier. The log must extend it.',
  path: true,
} as const satisfies Flag;

/** The hash of an event as `prove` and `verify` take it; without 0x. */
export const EVENT_HASH = z
  .string()
  .regex(/^(0x)?[0-9a-f]{64}$/i)
  .transform((hash) => hash.slice(-64).toLowerCase());

export const event = {
  unit: 'an attestation_hash: 64 hex digits, with or without 0x',
  description: 'The hash of the event that a proof is of, as in the audited export.',
  schema: EVENT_HASH,
} as const satisfies Flag;

export const logUrl = {
  flag: 'url',
  unit: 'http(s)://host[:port][/path]',
  description: 'Reads the log of a service or a mirror at this address, instead of that in --out.',
  schema: address.transform((value) => value.replace(/\/+$/, '')),
} as const satisfies Flag;
