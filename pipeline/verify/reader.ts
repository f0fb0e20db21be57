import type { Config } from '../config/settings.ts';
import { software } from '../config/software.ts';
import { givenText, readGiven } from '../disk/read-given.ts';
import { CathedralError } from '../errors.ts';
import { parseCheckpoint } from '../ledger/notes/checkpoint.ts';
import { noteText, parseVerifierKey, type Verifier } from '../ledger/notes/note.ts';
import { ledgerKeysOf, parseWitnessPolicy, type WitnessPolicy } from '../ledger/notes/witness-policy.ts';
import {
  formatWitnessing,
  missingQuorum,
  readWitnesses,
  type Witnessing,
} from '../ledger/notes/witness-quorum.ts';
import { ledgerVerifiers, readVerifiers } from '../ledger/reading/ledger-verifiers.ts';
import { formatTimestamp } from '../words/moment.ts';
import { counted } from '../words/number.ts';
import { printable } from '../words/printable.ts';
import { FolderOrigin } from './folder-origin.ts';
import { HttpOrigin, type HttpOriginOptions } from './http-origin.ts';
import { CHECKPOINT } from './log.ts';
import { assertExtendsKept, type KeptCheckpoint, type SignedLog } from './signed-log.ts';

/** What a reader of a service is told: the clock, how to wait, and where it reports what it does. */
export interface Reading {
  now: () => number;
  /** Resolves after this many ms. */
  wait: (ms: number) => Promise<void>;
  progress: { stage(line: string): void; note(line: string): void; update(line: string): void; end(): void };
}

/** A request and its retries, after 1, 2, 4 and 8 s. */
const ATTEMPTS = 5;

interface ReaderConfig extends Pick<Config, 'readerKeys' | 'policy' | 'parallelRequests'> {
  ledgerKey: string | null;
  acceptExpired: boolean;
}

/** Whose signatures count, and how to read an origin. */
export async function readerOptions(config: ReaderConfig, { now, wait, progress }: Reading) {
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

/** A service at an address, or the folder of one. Throws config_invalid, and mirror_stopped for a mirror that lacks its first release. */
export async function originAt(
  place: string,
  patience: Pick<Config, 'timeLimit'>,
  options: Pick<HttpOriginOptions, 'apiKey' | 'isStatic' | 'log' | 'wait'>,
): Promise<HttpOrigin | FolderOrigin> {
  if (/^https?:\/\//.test(place)) return httpOrigin(place, patience, options);
  const folder = await FolderOrigin.at(place);
  if (!(await folder.isUnfinished())) return folder;
  throw new CathedralError('mirror_stopped', {
    place,
    expected: 'a release; run `cathedral mirror` on this folder again, which resumes',
    found: 'a first copy that has not finished',
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
  const policy = parseWitnessPolicy(await readGiven(path, 'a readable policy'), path);
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

/** A checkpoint that the user kept, with its signatures; null where none was given. Throws config_invalid, also for another file. */
export async function readHeld(path: string | null): Promise<KeptCheckpoint | null> {
  if (path === null) return null;
  const note = givenText(await readGiven(path, 'a readable checkpoint'), path);
  try {
    parseCheckpoint(noteText(note, path), path);
  } catch (cause) {
    throw cause instanceof CathedralError ? new CathedralError('config_invalid', { ...cause, cause }) : cause;
  }
  return { note, place: path };
}

/** A file that was given could not be read. */
export function unreadable(place: string, cause: NodeJS.ErrnoException): CathedralError {
  const found = cause.code ?? cause.message;
  return new CathedralError('proof_refused', { place, expected: 'a readable file', found, cause });
}

/** The service whose log is read, in a folder or at an address. The entries of the log, which hold whole events, need a government key. */
export async function logOrigin(
  config: Pick<Config, 'out' | 'timeLimit'> & { logUrl: string | null },
  { wait, progress }: Reading,
  apiKey: string | null = null,
): Promise<HttpOrigin | FolderOrigin> {
  const { out, logUrl } = config;
  if (logUrl === null) return FolderOrigin.at(out, true);
  return httpOrigin(logUrl, config, { apiKey, isStatic: false, wait, log: progress.note });
}

/** What the witnesses of a policy say about the checkpoint of a log, for programs and people; null without a policy. */
export async function witnessing(
  note: string,
  policy: WitnessPolicy | null,
  { place, now }: { place: string; now: number },
): Promise<Seen | null> {
  if (!policy) return null;
  const found = await readWitnesses(note, policy, { place, now });
  const missing = missingQuorum(found, place);
  return {
    facts: witnessesOf(found),
    line: missing ? printable(missing.message) : `${formatWitnessing(found, now)}.`,
    missing,
  };
}

export interface Seen {
  facts: ReturnType<typeof witnessesOf>;
  line: string;
  /** The error if they are too few. What is proved is then proved of a log that others need not see. */
  missing: CathedralError | null;
}

/** The log that something is compared with, for programs and people. */
export interface Audited {
  facts: object;
  lines: readonly string[];
  /** What the witnesses of the policy say; null: none was given. */
  seen: Seen | null;
}

/**
 * What the witnesses of a policy say about a log, and that it extends a checkpoint that the reader kept. Throws witness_signature, config_invalid,
 * and as `assertExtendsKept`.
 */
export async function auditLog(
  log: SignedLog,
  { policy, verifiers, heldCheckpoint }: Auditor,
  now: number,
): Promise<Audited> {
  const seen = await seenOf(log, policy, now);
  const held = await heldOf(log, { verifiers, heldCheckpoint });
  const { checkpoint, verifier } = log;
  return {
    seen,
    facts: { ...checkpoint, goesOnFrom: held?.size ?? null, witnesses: seen?.facts ?? null },
    lines: [
      `Compared with the log ${checkpoint.origin}, ${counted(checkpoint.size, 'event')}, root hash ${checkpoint.root}, signed by ${verifier.name}+${verifier.id}.`,
      ...(seen ? [seen.line] : []),
      ...(held ? [printable(`It extends the ${counted(held.size, 'event')} of ${held.place}.`)] : []),
    ],
  };
}

/** What the witnesses of a policy say about a log; null without a policy. Throws witness_signature. */
export function seenOf({ origin, note }: SignedLog, policy: WitnessPolicy | null, now: number) {
  return witnessing(note, policy, { place: origin.placeOf(CHECKPOINT), now });
}

/** The checkpoint that the reader kept, which the log must extend; null: none was given. */
export async function heldOf(log: SignedLog, { verifiers, heldCheckpoint }: Omit<Auditor, 'policy'>) {
  const held = await readHeld(heldCheckpoint);
  return held && { place: held.place, size: (await assertExtendsKept(log, held, verifiers)).size };
}

export interface Auditor {
  policy: WitnessPolicy | null;
  /** Keys that may have signed the log. */
  verifiers: readonly Verifier[];
  /** The path of a checkpoint that the reader kept; null: none. */
  heldCheckpoint: string | null;
}
