import type { ServerResponse } from 'node:http';

/** How often a connection is looked at, ms: a time-out holds to the second. */
const LOOK_MS = 1000;

/**
 * Cuts the connection when the client takes nothing of the answer for `ms`; returns what ends the watch. The time-out of
 * node:http takes up to twice as long, and bytes that the client sends meanwhile put it off for ever.
 */
export function watchStall(response: ServerResponse, ms: number): () => void {
  // A chunk is written when the one before has been taken.
  let [written, since] = [-1, performance.now()];
  const look = () => {
    const now = response.socket?.bytesWritten ?? -1;
    if (now !== written || response.socket === null) [written, since] = [now, performance.now()];
    else if (performance.now() - since >= ms) response.destroy();
  };
  const timer = setInterval(look, Math.min(LOOK_MS, ms / 2)).unref();
  return () => clearInterval(timer);
}
