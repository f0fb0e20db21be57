import type { EventEmitter } from 'node:events';

/** What `close` is emitted with, whatever error came before: `once` of node:events rejects with that. */
export function closed(one: EventEmitter): Promise<unknown[]> {
  return new Promise((resolve) => one.once('close', (...args) => resolve(args)));
}
