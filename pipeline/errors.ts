/** What each error means that an operator or a client can see, by its stable code. */
export const ERROR_CODES = {
  usage: 'A command, flag or setting is not understood.',
  config_invalid: 'A setting has a value outside its range, or two settings exclude each other.',
  ledger_unreadable: 'A ledger file, or a file of events, is missing or cannot be read.',
  ledger_unwritable: 'A ledger file cannot be written, or is there already.',
  ledger_corrupt:
    'A ledger file does not decompress, or a line of it or of a file of events is not an event.',
  ledger_signature: 'A checkpoint is not signed by a known key.',
  ledger_root: 'The root hash of the events differs from the one that the checkpoint signs.',
  ledger_order: 'A sequence number, a time or a snapshot is out of order.',
  ledger_schema: 'An event does not have the form of its type.',
  import_failed:
    'A remote ledger or a database answered with something that cannot be imported, or not at all.',
  placeholders_found:
    'A ledger of your own would be published under the demo’s name or with its papers or treaty.',
  document_invalid: 'A file of the documents’ folder is missing, unexpected or does not match its schema.',
  artifact_invalid: 'A file about to be published does not match its schema.',
  release_invalid: 'A published release differs from its manifest or from the ledger.',
  release_refused:
    'The release would contradict one that readers already have: it comes from a different ledger, publisher or key, or from an earlier time.',
  wrong_user: 'Root would write to a folder of another user, which that user could then not use.',
  publish_failed: 'A release, or another file, could not be written; the published release is untouched.',
  disk_full: 'There is no room left on the disk; the published release is untouched.',
  locked: 'Another run holds the lock.',
  browser_missing: 'No Chromium was found to print the PDF with.',
  print_failed: 'A PDF could not be printed; all else is published.',
  site_failed: 'The site could not be built.',
  store_failed: 'A database or an object store cannot be opened, read or written.',
  access_log_broken:
    'The access log is not the one that its head record or its newest signed head describes.',
  keys_unreadable: 'The key store cannot be opened, read or written.',
  key_refused: 'A key cannot be issued, rotated, revoked or verified as requested.',
  attestation_refused: 'An attestation or its key cannot be created, signed, read or revoked as requested.',
  log_invalid: 'A tile, an entry, a checkpoint or a proof of the log differs from what was signed.',
  log_forked: 'The ledger does not extend what was published from it; nothing is published.',
  witness_quorum:
    'Fewer witnesses cosigned a checkpoint than the policy requires; the log may be shown to one reader only.',
  witness_signature: 'A cosignature in the name of a witness does not verify for this checkpoint.',
  proof_refused: 'The input to a proof or verification is missing or cannot be read.',
  mirror_unreachable: 'A mirror’s origin does not answer, or does not answer in time.',
  mirror_stopped:
    'A run that reads a service ended early: it reached its time limit, or the service asked it to come back later.',
  mirror_untrusted: 'No trusted key has signed what an origin serves.',
  mirror_rollback: 'An origin serves an older release or a shorter log than one already accepted.',
  mirror_expired: 'An origin’s current release has expired.',
  mirror_mismatch:
    'A file of an origin differs from the signed one, or from an immutable one accepted before.',
  mirror_forked:
    'An origin contradicts what was accepted before: a different release of the same version, or a different log.',
  mirror_invalid: 'A manifest, a note or an index of an origin, or of a mirror, is malformed.',
  mail_failed: 'A mail was not accepted, so the key or code that it carried is not active.',
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

export interface Fault {
  /** Where: a file with its line (`snapshots/2025-12-01T06Z.ndjson.zst:17`), a flag, a field. */
  place: string;
  expected: string;
  found: string;
  cause?: unknown;
}

/** What the system says by its codes, in words. */
const SYSTEM_WORDS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'no such file or folder'],
  ['ENOTDIR', 'a file in place of a folder'],
  ['EISDIR', 'a folder'],
  ['EEXIST', 'one that is there already'],
  ['EACCES', 'one that this user may not use'],
  ['EPERM', 'one that this user may not change'],
  ['ELOOP', 'links that lead in a circle'],
  ['ENAMETOOLONG', 'a name that is too long'],
  ['EROFS', 'a disk that may only be read'],
  ['ENOSPC', 'a full disk'],
  ['ENOTFOUND', 'no such host'],
  ['EADDRNOTAVAIL', 'an address of another machine'],
]);

/** An error that states the place, the expected and the actual value. `code` is stable across versions. */
export class CathedralError extends Error {
  readonly code: ErrorCode;
  readonly place: string;
  readonly expected: string;
  readonly found: string;

  constructor(code: ErrorCode, { place, expected, found: actual, cause }: Fault) {
    const words = SYSTEM_WORDS.get(actual);
    const found = words === undefined ? actual : `${words} (${actual})`;
    super(`${place}: expected ${expected}, found ${found} (${code})`, { cause });
    this.name = 'CathedralError';
    this.code = code;
    this.place = place;
    this.expected = expected;
    this.found = found;
  }
}

/** 2 if a command was used wrongly, 4 if a host did not answer. Of all others it is 1: the work failed. */
const EXIT_STATUSES: Partial<Record<ErrorCode, 2 | 4>> = {
  usage: 2,
  config_invalid: 2,
  wrong_user: 2,
  mirror_unreachable: 4,
  mirror_stopped: 4,
};

/** The exit status of a command that failed so. Not part of the error, with which every page would load the table. */
export function exitOf({ code }: Pick<CathedralError, 'code'>): 1 | 2 | 4 {
  return EXIT_STATUSES[code] ?? 1;
}

/** The error for which a scope was left: one of what the scope then closed, as on a full disk, hides it in a SuppressedError. */
export function firstError(error: unknown): unknown {
  return error instanceof SuppressedError ? firstError(error.suppressed) : error;
}

/** Makes errors of one code. `const corrupt = errorOf('ledger_corrupt'); throw corrupt('votes.csv:7', 'UTF-8', 'other bytes');` */
export function errorOf(code: ErrorCode) {
  return (place: string, expected: string, found: string, cause?: unknown): CathedralError =>
    new CathedralError(code, { place, expected, found, cause });
}

/** What is made, or null where making it throws. */
export function orNull<T>(make: () => T): T | null {
  try {
    return make();
  } catch {
    return null;
  }
}

/** What is read, or null where that is refused: with this code, or with any. */
export function unlessRefused<T>(read: () => T, code?: ErrorCode): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof CathedralError && (code === undefined || error.code === code)) return null;
    throw error;
  }
}

/** Adds advice to an error of a run that has published nothing yet. Returns any other value unchanged. */
export function withHint(cause: unknown, advice: string): unknown {
  if (!(cause instanceof CathedralError)) return cause;
  const expected = `${cause.expected} (nothing is published: ${advice})`;
  return new CathedralError(cause.code, { ...cause, expected, cause });
}

/** One thing that a check found wrong: an error as a value, so that the other checks can go on. */
export type Finding = Pick<CathedralError, 'code' | 'place' | 'expected' | 'found'>;

export function findingOf({ code, place, expected, found }: CathedralError): Finding {
  return { code, place, expected, found };
}
