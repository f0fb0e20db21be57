import { resolve } from 'node:path';
import { type LedgerSource, nameOfSource } from '../config/ledger-address.ts';
import type { Config } from '../config/settings.ts';
import { CathedralError } from '../errors.ts';
import { MAX_AHEAD_MS } from '../ledger/events/draft.ts';
import type { Verifier } from '../ledger/notes/note.ts';
import { besideLedger, ledgerVerifiers, readVerifiers } from '../ledger/reading/ledger-verifiers.ts';
import { type LedgerKeyFiles, readSigners } from '../ledger/writing/ledger-keys.ts';
import { LedgerWriter, type Sealed, type SealOptions } from '../ledger/writing/ledger-writer.ts';
import { DAY_MS } from '../words/day.ts';
import { isRemoteCopy } from './import/row-index.ts';
import { assertNoReplica } from './shared/copied-ledger.ts';

/** A ledger on the disk, and the keys that may have signed it. */
export interface LocalLedger {
  /** A folder. */
  ledger: string;
  verifiers: Verifier[];
}

/** The files of a ledger in a folder, whose keys are beside it by default. Throws config_invalid for any other ledger. */
export function ownLedger({
  ledger: source,
  ledgerKey,
  ledgerSigningKey,
}: Pick<Config, 'ledger' | 'ledgerKey' | 'ledgerSigningKey'>): LedgerKeyFiles {
  // Without a slash at the end.
  const ledger = resolve(assertWrittenHere(source));
  return {
    ledger,
    keyFile: ledgerSigningKey ?? besideLedger(ledger, '.key'),
    verifierFile: ledgerKey ?? besideLedger(ledger, '.vkey'),
  };
}

/**
 * A ledger that events may be appended to here. Whoever runs a remote ledger registers and revokes there. Throws config_invalid for any
 * other ledger, and for keys that cannot be read.
 */
export async function writableLedger({
  ledger: source,
  ledgerKey,
}: Pick<Config, 'ledger' | 'ledgerKey'>): Promise<LocalLedger> {
  const ledger = assertWrittenHere(source);
  if (isRemoteCopy(ledger)) throw notWrittenHere(`${ledger}, which is imported from a remote ledger`);
  return { ledger, verifiers: await ledgerVerifiers(ledgerKey, ledger) };
}

function assertWrittenHere(source: LedgerSource): string {
  if (source.kind !== 'directory') throw notWrittenHere(nameOfSource(source));
  assertNoReplica(source.path);
  return source.path;
}

function notWrittenHere(found: string): CathedralError {
  return new CathedralError('config_invalid', { place: '--ledger', expected: 'a ledger in a folder', found });
}

/** Seals the finished slots. Throws config_invalid, locked, and the errors of reading and writing a ledger. */
export async function sealLedger(
  files: LedgerKeyFiles,
  { quiet, waitMs, now }: { quiet: NonNullable<SealOptions['quiet']>; waitMs: number; now: () => number },
): Promise<Sealed> {
  const signers = await readSigners(files);
  const verifiers = await readVerifiers(files.verifierFile);
  const holder = `sealing, process ${process.pid}`;
  using writer = await LedgerWriter.open(files.ledger, { verifiers, now, waitMs, holder });
  return await writer.seal(signers, { quiet });
}

/** What an operator should look at after sealing. */
export function sealWarnings({ paused, end }: Sealed, ledger: string, now: number): string[] {
  if (paused) {
    const days = Math.floor(paused.ms / DAY_MS);
    return [
      `${paused.id} is not sealed: it has no events, and the last event or sealed slot is ${days} days before it. If the clock is right: cathedral ledger seal ${quoteWord(ledger)} --after-pause`,
    ];
  }
  if (end.timestamp === null || Date.parse(end.timestamp) <= now + MAX_AHEAD_MS) return [];
  return [
    `The clock is behind the last event, ${end.timestamp}. Its slot cannot be sealed before the clock has reached the end of it.`,
  ];
}

/** A path as one word of a command that is printed for a shell: in quotes if it has spaces or other special characters. */
export function quoteWord(path: string): string {
  return /^[\w%+,./:@-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
