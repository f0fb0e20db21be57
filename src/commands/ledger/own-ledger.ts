import { resolve } from 'node:path';
import { type LedgerSource, nameOfSource } from '../../../pipeline/config/ledger-address.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import {
  besideLedger,
  type LedgerKeyFiles,
  readSigners,
  readVerifiers,
} from '../../../pipeline/ledger/writing/ledger-keys.ts';
import {
  LedgerWriter,
  type Sealed,
  type SealOptions,
} from '../../../pipeline/ledger/writing/ledger-writer.ts';
import { DAY_MS } from '../../../pipeline/words/day.ts';
import { assertNoReplica } from '../shared-source.ts';

/** The settings of the commands that keep a ledger, with what they take without them. */
export const OWN_KEYS = {
  ledgerKey: 'Without it, the file of the ledger’s name with `.vkey` after it.',
  ledgerSigningKey: 'Without it, the file of the ledger’s name with `.key` after it.',
} as const;

interface OwnConfig {
  ledger: LedgerSource;
  ledgerKey: string | null;
  ledgerSigningKey: string | null;
}

/** The files of a ledger in a folder, whose keys are beside it by default. Throws config_invalid for a remote ledger. */
export function ownLedger({ ledger: source, ledgerKey, ledgerSigningKey }: OwnConfig): LedgerKeyFiles {
  if (source.kind !== 'directory') {
    const fault = { place: '--ledger', expected: 'a ledger in a folder', found: nameOfSource(source) };
    throw new CathedralError('config_invalid', fault);
  }
  assertNoReplica(source.path);
  // Without a slash at the end.
  const ledger = resolve(source.path);
  return {
    ledger,
    keyFile: ledgerSigningKey ?? besideLedger(ledger, '.key'),
    verifierFile: ledgerKey ?? besideLedger(ledger, '.vkey'),
  };
}

/** Seals the finished slots. Throws config_invalid, locked, and the errors of reading and writing a ledger. */
export async function sealLedger(
  files: LedgerKeyFiles,
  { quiet, waitMs, now }: { quiet: NonNullable<SealOptions['quiet']>; waitMs: number; now: () => number },
): Promise<Sealed> {
  const signers = await readSigners(files);
  const verifiers = await readVerifiers(files.verifierFile);
  const holder = `sealing, process ${process.pid}`;
  const writer = await LedgerWriter.open(files.ledger, { verifiers, now, waitMs, holder });
  try {
    return await writer.seal(signers, { quiet });
  } finally {
    writer.close();
  }
}

/** What an operator should look at after sealing. */
export function sealWarnings({ paused, end }: Sealed, ledger: string, now: number): string[] {
  if (paused) {
    const days = Math.floor(paused.ms / DAY_MS);
    return [
      `${paused.id} is not sealed: it has no events, and the last event or sealed slot is ${days} days before it. If the clock is right: cathedral ledger seal ${quoteWord(ledger)} --after-pause`,
    ];
  }
  if (end.timestamp === null || Date.parse(end.timestamp) <= now + CLOCK_TOLERANCE_MS) return [];
  return [
    `The clock is behind the last event, ${end.timestamp}. Its slot cannot be sealed before the clock has reached the end of it.`,
  ];
}

/** A path as one word of a command that is printed for a shell: in quotes if it has spaces or other special characters. */
export function quoteWord(path: string): string {
  return /^[\w%+,./:@-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** As for an event that is appended. */
const CLOCK_TOLERANCE_MS = 300_000;
