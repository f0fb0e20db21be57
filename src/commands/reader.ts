import { readFile } from 'node:fs/promises';
import { type Flag, text } from '../../pipeline/config/setting.ts';
import type { Config } from '../../pipeline/config/settings.ts';
import { software } from '../../pipeline/config/software.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { parseVerifierKey, type Verifier } from '../../pipeline/ledger/notes/note.ts';
import {
  ledgerKeysOf,
  parseWitnessPolicy,
  type WitnessPolicy,
} from '../../pipeline/ledger/notes/witness-policy.ts';
import type { Witnessing } from '../../pipeline/ledger/notes/witness-quorum.ts';
import { ledgerVerifiers, readVerifiers } from '../../pipeline/ledger/writing/ledger-keys.ts';
import type { KeptCheckpoint } from '../../pipeline/verify/audit/audited-log.ts';
import { HttpOrigin, type HttpOriginOptions } from '../../pipeline/verify/http-origin.ts';
import { formatTimestamp } from '../../pipeline/words/moment.ts';
import { type Context, SWITCH } from './command.ts';

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
    flag: 'accept-expired',
    description:
      'Accepts a release that has expired, as where the publisher has stopped. Otherwise an expired release is refused, because somebody may be withholding a newer one.',
    ...SWITCH,
  },
  staticOrigin: {
    flag: 'static',
    description:
      'The origin is a static host, so no answer may be newer than the release. Without it, a host without `/live` counts as one; a folder always does.',
    ...SWITCH,
  },
} as const satisfies Record<string, Flag>;

/** What happens without --ledger-key. */
export const WITHOUT_LEDGER_KEY =
  "Without it, the signature of the ledger's checkpoint is not verified; the publisher's signature stands for it.";

export const heldCheckpoint = {
  flag: 'checkpoint',
  default: null,
  unit: 'a file',
  description: 'A checkpoint of the log, as a signed note, that you kept earlier. The log must extend it.',
  path: true,
  schema: text,
} as const satisfies Flag;

/** A request and its retries, after 1, 2, 4 and 8 s. */
const ATTEMPTS = 5;

interface ReaderConfig extends Pick<Config, 'readerKeys' | 'policy' | 'parallelRequests'> {
  ledgerKey: string | null;
  acceptExpired: boolean;
}

/** Whose signatures count, and how to read an origin. */
export async function readerOptions(config: ReaderConfig, { now, wait, progress }: Context) {
  const { readerKeys, ledgerKey, acceptExpired, parallelRequests: parallel } = config;
  return {
    keys: readerKeys === null ? null : await trustedKeys(readerKeys),
    ...(await readPolicy(config.policy, ledgerKey === null ? null : await readVerifiers(ledgerKey))),
    acceptExpired,
    parallel,
    now,
    wait,
    log: (line: string) => progress.stage(line),
  };
}

export function httpOrigin(
  baseUrl: string,
  { timeLimit }: Pick<Config, 'timeLimit'>,
  options: Pick<HttpOriginOptions, 'apiKey' | 'isStatic' | 'log' | 'wait'>,
): HttpOrigin {
  return new HttpOrigin({
    baseUrl,
    fetch,
    software: software(),
    ...options,
    timeLimitMs: timeLimit * 1000,
    attempts: ATTEMPTS,
  });
}

/**
 * The policy in a file, and the keys of the ledger that count: where the policy names logs, those of them that were given, or all. Throws
 * config_invalid.
 */
async function readPolicy(
  path: string | null,
  given: readonly Verifier[] | null,
): Promise<{ policy: WitnessPolicy | null; ledgerKeys: readonly Verifier[] | null }> {
  if (path === null) return { policy: null, ledgerKeys: given };
  const file = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
    const fault = { place: '--policy', expected: 'a readable file', found: `${path}: ${cause.code}` };
    throw new CathedralError('config_invalid', { ...fault, cause });
  });
  const policy = parseWitnessPolicy(file, path);
  return { policy, ledgerKeys: ledgerKeysOf(policy, given, '--ledger-key') };
}

/** The policy of a command that verifies a log, and the keys that may have signed that log. Throws config_invalid. */
export async function auditorTrust({
  policy: path,
  ledgerKey,
}: Pick<Config, 'policy' | 'ledgerKey'>): Promise<{
  policy: WitnessPolicy | null;
  verifiers: readonly Verifier[];
}> {
  const given = ledgerKey === null ? null : await readVerifiers(ledgerKey);
  const { policy, ledgerKeys } = await readPolicy(path, given);
  return { policy, verifiers: ledgerKeys ?? (await ledgerVerifiers(null, null)) };
}

/** For programs: what the witnesses of a policy say about a checkpoint. */
export function witnessesOf({ checkpoint: { size, root }, statements, isQuorum }: Witnessing) {
  const witnesses = statements.map(({ witness: { name, key }, state, signedAt }) => ({
    name,
    key: `${key.name}+${key.id}`,
    state,
    signed_at: signedAt === null ? null : formatTimestamp(signedAt),
  }));
  return { quorum: isQuorum, size, root, witnesses };
}

/** A verifier key has a plus sign and 44 digits of base64, which no file name has. */
export async function trustedKeys(given: string): Promise<Verifier[]> {
  return /\+[0-9a-f]{8}\+[A-Za-z0-9+/]{43,}=*$/.test(given)
    ? [parseVerifierKey(given)]
    : readVerifiers(given);
}

/** A checkpoint that the user kept, with its signatures; null where none was given. Throws config_invalid. */
export async function readHeld(path: string | null): Promise<KeptCheckpoint | null> {
  if (path === null) return null;
  const note = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    const fault = { place: `--${heldCheckpoint.flag}`, expected: 'a readable file', found: `${cause.code}` };
    throw new CathedralError('config_invalid', { ...fault, cause });
  });
  return { note, place: path };
}
