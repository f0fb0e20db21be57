import { CathedralError, ERROR_CODES } from '../../../pipeline/errors.ts';

/** For those who ask how the service is: what kind of fault it is, and nothing of what the ledger says; the log has that. */
export function publicFault(error: unknown): string {
  if (!(error instanceof CathedralError)) return 'an unexpected fault';
  return `${error.code}: ${ERROR_CODES[error.code].meaning}`;
}
