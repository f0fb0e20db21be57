import { Problem } from '../../api/problem.ts';

/** A disk that is full is not emptied in less. */
const RETRY_AFTER_S = 30;

/** The answer to a request for gated data that could not be logged: 503. The cause is for the server's own log. */
export function accessNotLogged(): Problem {
  const headers = { 'Retry-After': String(RETRY_AFTER_S) };
  return new Problem('access_not_logged', 'Access to this path cannot be recorded now.', headers);
}
