import { randomBytes } from 'node:crypto';

/** 48 bits: two processes hardly ever get the same. */
const PREFIX_BYTES = 6;

/** `pX3k9aQz-1f`: of this process, and counted up. An access log entry and the server's log name a request by it. */
export function requestIds(): () => string {
  const prefix = randomBytes(PREFIX_BYTES).toString('base64url');
  let last = 0;
  return () => {
    last += 1;
    return `${prefix}-${last.toString(36)}`;
  };
}
