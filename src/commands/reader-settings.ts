import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, SETTINGS } from '../../pipeline/config/settings.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { parseVerifierKey, type Verifier } from '../../pipeline/ledger/note.ts';
import type { HeldCheckpoint } from '../../pipeline/verify/audit/audited-log.ts';
import { HttpOrigin, type HttpOriginOptions } from '../../pipeline/verify/http-origin.ts';
import type { Context } from './command.ts';
import { readVerifiers } from './ledger-source.ts';
import { SOFTWARE } from './software.ts';

/** How long a service may take over its answers. */
export const PATIENCE_SETTINGS = ['transferStall', 'timeLimit'] as const;
/** What whoever reads a service, rather than makes it, is told. */
export const READER_SETTINGS = [
  'readerKeys',
  'readerLedgerKeys',
  'acceptExpired',
  'parallelRequests',
  ...PATIENCE_SETTINGS,
  'readerApiKey',
  'staticOrigin',
] as const;
type ReaderConfig = Pick<Config, (typeof READER_SETTINGS)[number]>;

/** A request, its first try included: after 1, 2, 4 and 8 s more. */
const ATTEMPTS = 5;

/** Who may sign, and how an origin is asked. */
export async function readerOptions(config: ReaderConfig, { now, progress }: Context) {
  const { readerKeys, readerLedgerKeys, acceptExpired, parallelRequests: parallel } = config;
  return {
    keys: readerKeys === null ? null : await givenKeys(readerKeys),
    ledgerKeys: readerLedgerKeys === null ? null : await readVerifiers(readerLedgerKeys),
    acceptExpired,
    parallel,
    now,
    wait: (ms: number) => sleep(ms),
    log: (line: string) => progress.stage(line),
  };
}

export function httpOrigin(
  baseUrl: string,
  { transferStall, timeLimit }: Pick<Config, (typeof PATIENCE_SETTINGS)[number]>,
  told: Pick<HttpOriginOptions, 'apiKey' | 'isStatic' | 'log'>,
): HttpOrigin {
  const [stallMs, timeLimitMs] = [transferStall * 1000, timeLimit * 1000];
  const attempts = { attempts: ATTEMPTS, wait: (ms: number) => sleep(ms) };
  const asked = { baseUrl, fetch, software: SOFTWARE, ...told };
  return new HttpOrigin({ ...asked, stallMs, timeLimitMs, ...attempts });
}

/** A key has a plus sign and 44 digits of base64, which no file is named by. */
async function givenKeys(text: string): Promise<Verifier[]> {
  return /\+[0-9a-f]{8}\+[A-Za-z0-9+/]{43,}=*$/.test(text) ? [parseVerifierKey(text)] : readVerifiers(text);
}

/** A checkpoint that was kept, as it was signed; null where none is given. Throws config_invalid. */
export async function readHeld(path: string | null): Promise<HeldCheckpoint | null> {
  if (path === null) return null;
  const note = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    const place = `--${SETTINGS.heldCheckpoint.flag}`;
    const expected = 'a file that can be read';
    throw new CathedralError('config_invalid', { place, expected, found: `${cause.code}`, cause });
  });
  return { note, place: path };
}
