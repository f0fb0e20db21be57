import { CathedralError, type ErrorCode } from '../../errors.ts';

/** What a malformed or unsigned document is to who reads it from elsewhere; its makers' codes tell them to mend it. */
const CODES: Partial<Record<ErrorCode, ErrorCode>> = {
  release_invalid: 'mirror_invalid',
  ledger_corrupt: 'mirror_invalid',
  config_invalid: 'mirror_invalid',
  ledger_signature: 'mirror_untrusted',
  log_invalid: 'mirror_mismatch',
};

/** Gives the errors of `work` the codes that a client's operator knows what to do about. */
export async function withClientErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof CathedralError ? translate(error) : error;
  }
}

function translate(error: CathedralError): CathedralError {
  const code = CODES[error.code];
  const { place, expected, found } = error;
  return code ? new CathedralError(code, { place, expected, found, cause: error }) : error;
}
