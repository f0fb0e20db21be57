/**
 * Every failure that an operator or a client may see, each with a stable code.
 * `exit` is the command line's exit status: 1 the work failed, 2 the command was used wrongly.
 */
export const ERROR_CODES = {
  usage: { exit: 2, meaning: 'A command, flag or setting is not understood.' },
  config_invalid: {
    exit: 2,
    meaning: 'A setting has a value outside its range, or two settings exclude each other.',
  },
  ledger_unreadable: { exit: 1, meaning: 'A ledger file is missing or cannot be read.' },
  ledger_unwritable: { exit: 1, meaning: 'A ledger file cannot be written, or is there already.' },
  ledger_corrupt: { exit: 1, meaning: 'A ledger file does not decompress, or a line is not an event.' },
  ledger_signature: { exit: 1, meaning: 'A checkpoint is not signed by a known key.' },
  ledger_root: { exit: 1, meaning: 'The events do not have the root hash that the checkpoint signs.' },
  ledger_order: { exit: 1, meaning: 'A sequence number, a time or a snapshot is out of order.' },
  ledger_schema: { exit: 1, meaning: 'An event does not have the form of its type.' },
  import_failed: { exit: 1, meaning: 'A remote ledger answered with something that cannot be imported.' },
  document_invalid: {
    exit: 1,
    meaning: 'A file under data/documents or data/sample does not fit its schema.',
  },
  artifact_invalid: {
    exit: 1,
    meaning: 'A file that was about to be published does not fit its own schema.',
  },
  release_invalid: { exit: 1, meaning: 'A published release differs from its manifest or from the ledger.' },
  release_refused: {
    exit: 1,
    meaning:
      'The release would contradict one that readers have: of another ledger, publisher or key, or of an earlier time.',
  },
  publish_failed: { exit: 1, meaning: 'The release could not be written; the published one is untouched.' },
  disk_full: { exit: 1, meaning: 'There is no room left on the disk; the published release is untouched.' },
  locked: { exit: 1, meaning: 'Another run holds the lock.' },
  browser_missing: { exit: 1, meaning: 'No Chromium was found to print the PDF with.' },
  site_failed: { exit: 1, meaning: 'The site could not be built.' },
  store_failed: { exit: 1, meaning: 'A database of the server cannot be opened, read or written.' },
  access_log_broken: { exit: 1, meaning: 'The access log is not the one that its head record speaks of.' },
  keys_unreadable: { exit: 1, meaning: 'The key store cannot be opened, read or written.' },
  key_refused: {
    exit: 1,
    meaning: 'A key cannot be issued, rotated, revoked or verified as it was asked for.',
  },
  attestation_refused: {
    exit: 1,
    meaning: 'An attestation, or a key for one, cannot be made, signed, read or revoked as it was asked for.',
  },
  log_invalid: {
    exit: 1,
    meaning: 'A tile, an entry, a checkpoint or a proof of the log is not what was signed.',
  },
  log_forked: {
    exit: 1,
    meaning: 'The ledger does not go on from what was published of it; nothing is published.',
  },
  proof_refused: { exit: 1, meaning: 'What was asked to be proved or verified is not there to be read.' },
  mirror_unreachable: { exit: 1, meaning: 'An origin of a mirror does not answer, or not in time.' },
  mirror_stopped: {
    exit: 1,
    meaning:
      'A run that reads a service ended early: it took longer than it may, or the service wants to be asked later.',
  },
  mirror_untrusted: { exit: 1, meaning: 'What an origin serves is not signed by a key that is trusted.' },
  mirror_rollback: {
    exit: 1,
    meaning: 'An origin serves an older release, or a shorter log, than the one that is held.',
  },
  mirror_expired: { exit: 1, meaning: 'The newest release of an origin is older than a newest one can be.' },
  mirror_mismatch: {
    exit: 1,
    meaning: 'A file of an origin is not the one that is signed, or that was never to change.',
  },
  mirror_forked: {
    exit: 1,
    meaning: 'An origin contradicts what is held: another release of the same version, or another log.',
  },
  mirror_invalid: {
    exit: 1,
    meaning: 'A manifest, a note or an index of an origin, or of a mirror, is malformed.',
  },
  mail_failed: { exit: 1, meaning: 'A mail was not accepted, so what it carried is not in force.' },
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

export interface Fault {
  /** Where: a file with its line (`snapshots/2025-12-01T06Z.ndjson.zst:17`), a flag, a field. */
  place: string;
  expected: string;
  found: string;
  cause?: unknown;
}

/** A failure that says where, what was expected and what was found; `code` is stable across versions. */
export class CathedralError extends Error {
  readonly code: ErrorCode;
  readonly place: string;
  readonly expected: string;
  readonly found: string;

  constructor(code: ErrorCode, { place, expected, found, cause }: Fault) {
    super(`${place}: expected ${expected}, found ${found} (${code})`, { cause });
    this.name = 'CathedralError';
    this.code = code;
    this.place = place;
    this.expected = expected;
    this.found = found;
  }

  get exit(): 1 | 2 {
    return ERROR_CODES[this.code].exit;
  }
}

/** The same failure of a run, before it published anything, with what to do about it; anything else as it is. */
export function withHint(cause: unknown, advice: string): unknown {
  if (!(cause instanceof CathedralError)) return cause;
  const { code, place, found } = cause;
  const expected = `${cause.expected} (nothing is published: ${advice})`;
  return new CathedralError(code, { place, expected, found, cause });
}
