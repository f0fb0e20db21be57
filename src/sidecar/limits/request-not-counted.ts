import { Problem } from '../../api/problem.ts';

const RETRY_AFTER_S = 30;

/** The answer to a request for limited data that could not be counted: 503. The cause is for the server's own log. */
export function requestNotCounted(): Problem {
  const headers = { 'Retry-After': String(RETRY_AFTER_S) };
  return new Problem('request_not_counted', 'Requests cannot be counted now.', headers);
}
