import type { Command } from './command.ts';

type Load = () => Promise<Command>;

/**
 * By name, of one word or two, each with how to load it: a command brings only its own modules with it. The help, the
 * operations guide and the tests are read off this table.
 */
export const COMMANDS: Readonly<Record<string, Load>> = {
  sample: async () => (await import('./sample.ts')).sample,
  build: async () => (await import('./build.ts')).build,
  check: async () => (await import('./check.ts')).check,
  'as-of': async () => (await import('./as-of.ts')).asOf,
  serve: async () => (await import('./serve.ts')).serve,
  start: async () => (await import('./start.ts')).start,
  mirror: async () => (await import('./mirror.ts')).mirror,
  verify: async () => (await import('./verify.ts')).verify,
  ...inOneFile(
    async () => (await import('./keys.ts')).KEYS,
    [
      'keys issue',
      'keys list',
      'keys rotate',
      'keys revoke',
      'keys request-verification',
      'keys verify-email',
      'keys expiring',
    ],
  ),
  ...inOneFile(
    async () => (await import('./access-log.ts')).ACCESS_LOG,
    ['access-log export', 'access-log verify', 'access-log expire'],
  ),
  ...inOneFile(
    async () => (await import('./attest.ts')).ATTEST,
    ['attest keygen', 'attest new', 'attest sign', 'attest verify', 'attest status', 'attest revoke'],
  ),
  ...inOneFile(
    async () => (await import('./publisher.ts')).PUBLISHER,
    ['publisher show', 'publisher rotate', 'publisher retire', 'publisher replace'],
  ),
  ...inOneFile(async () => (await import('./audit.ts')).AUDIT, ['prove', 'verify-proof', 'verify-export']),
};

/** Those of the names, by default all, for what speaks of each. */
export async function loadCommands(names = Object.keys(COMMANDS)): Promise<Record<string, Command>> {
  const loaded = names.map(async (name) => [name, await COMMANDS[name]!()] as const);
  return Object.fromEntries(await Promise.all(loaded));
}

function inOneFile(
  load: () => Promise<Readonly<Record<string, Command>>>,
  names: readonly string[],
): Record<string, Load> {
  return Object.fromEntries(names.map((name) => [name, async () => (await load())[name]!]));
}
