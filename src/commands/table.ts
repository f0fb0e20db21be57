import type { Command } from './command.ts';

/** Loads a command, and with it only its declaration. */
type Load = () => Promise<Command>;

type Loads = Readonly<Record<string, Load>>;

/** The commands of a file by their names, which the help of another command needs without them. */
function group<const N extends string>(
  names: readonly N[],
  load: () => Promise<{ COMMANDS: Readonly<Record<N, Command>> }>,
): Loads {
  return Object.fromEntries(names.map((name) => [name, async () => (await load()).COMMANDS[name]]));
}

/** The commands by task, in the order of the help. The help, docs/cli.md and the tests follow this table. */
export const TASKS: Readonly<Record<string, Loads>> = {
  'Run the service': {
    ...group(['start', 'build', 'serve', 'publish'], () => import('./run.ts')),
    ...group(['sample'], () => import('./sample.ts')),
  },
  'Keep a ledger': group(
    [
      'ledger init',
      'ledger append',
      'ledger seal',
      'ledger rotate',
      'ledger retire',
      'ledger check',
      'ledger show',
    ],
    () => import('./ledger.ts'),
  ),
  'Check what you published': group(['check', 'as-of'], () => import('./check.ts')),
  'Verify and prove, as a reader': group(['verify', 'prove'], () => import('./proofs.ts')),
  'Copy a service': group(['mirror', 'fetch'], () => import('./copies.ts')),
  'Witness other logs': group(['witness'], () => import('./witness.ts')),
  'Sign releases': group(
    ['publisher run', 'publisher show', 'publisher rotate', 'publisher retire', 'publisher replace'],
    () => import('./publisher.ts'),
  ),
  'Manage API keys': group(
    [
      'keys issue',
      'keys list',
      'keys rotate',
      'keys revoke',
      'keys request-verification',
      'keys verify-email',
      'keys expiring',
    ],
    () => import('./keys.ts'),
  ),
  'Read the access log': group(
    ['access-log export', 'access-log verify', 'access-log expire'],
    () => import('./access-log.ts'),
  ),
  'Move to several machines': group(['store copy'], () => import('./store.ts')),
  'Work with Companion Attestations': group(
    [
      'attest keygen',
      'attest new',
      'attest sign',
      'attest verify',
      'attest register',
      'attest status',
      'attest drift',
      'attest revoke',
    ],
    () => import('./attest.ts'),
  ),
  'Run the simulation': group(['simulate'], () => import('./simulate.ts')),
};

/** Every command by its name, which has one word or two. */
export const COMMANDS: Loads = Object.assign({}, ...Object.values(TASKS));

/** Commands by name, in the order of the help; by default all of them. */
export async function loadCommands(names = Object.keys(COMMANDS)): Promise<Record<string, Command>> {
  const loaded = names.map(async (name) => [name, await COMMANDS[name]!()] as const);
  return Object.fromEntries(await Promise.all(loaded));
}
