import type { Command } from './command.ts';

/** Loads a command, and with it only its own modules. */
export type Load = () => Promise<Command>;

/** The commands by task, in the order of the help. The help, docs/cli.md and the tests follow this table. */
export const TASKS: Readonly<Record<string, Readonly<Record<string, Load>>>> = {
  'Run the service': {
    start: async () => (await import('./start.ts')).start,
    build: async () => (await import('./build.ts')).build,
    serve: async () => (await import('./serve.ts')).serve,
    publish: async () => (await import('./publish.ts')).publish,
    sample: async () => (await import('./sample.ts')).sample,
  },
  'Keep a ledger': {
    'ledger init': async () => (await import('./ledger/init.ts')).ledgerInit,
    'ledger append': async () => (await import('./ledger/append.ts')).ledgerAppend,
    'ledger seal': async () => (await import('./ledger/seal.ts')).ledgerSeal,
    'ledger rotate': async () => (await import('./ledger/rotate.ts')).ledgerRotate,
    'ledger retire': async () => (await import('./ledger/rotate.ts')).ledgerRetire,
    'ledger check': async () => (await import('./ledger/check.ts')).ledgerCheck,
    'ledger show': async () => (await import('./ledger/show.ts')).ledgerShow,
  },
  'Check what you published': {
    check: async () => (await import('./check.ts')).check,
    'as-of': async () => (await import('./as-of.ts')).asOf,
  },
  'Copy and verify a service': {
    mirror: async () => (await import('./mirror.ts')).mirror,
    verify: async () => (await import('./verify.ts')).verify,
    fetch: async () => (await import('./fetch.ts')).fetchCommand,
  },
  'Prove and audit events': {
    prove: async () => (await import('./prove.ts')).prove,
    'verify-proof': async () => (await import('./verify-proof.ts')).verifyProof,
    'prove-row': async () => (await import('./prove-row.ts')).proveRow,
    'verify-export': async () => (await import('./verify-export.ts')).verifyExport,
  },
  'Witness other logs': {
    witness: async () => (await import('./witness.ts')).witness,
  },
  'Sign releases': {
    'publisher run': async () => (await import('./publisher.ts')).publisherRun,
    'publisher show': async () => (await import('./publisher.ts')).publisherShow,
    'publisher rotate': async () => (await import('./publisher.ts')).publisherRotate,
    'publisher retire': async () => (await import('./publisher.ts')).publisherRetire,
    'publisher replace': async () => (await import('./publisher.ts')).publisherReplace,
  },
  'Manage API keys': {
    'keys issue': async () => (await import('./keys.ts')).keysIssue,
    'keys list': async () => (await import('./keys.ts')).keysList,
    'keys rotate': async () => (await import('./keys.ts')).keysRotate,
    'keys revoke': async () => (await import('./keys.ts')).keysRevoke,
    'keys request-verification': async () => (await import('./keys.ts')).keysRequestVerification,
    'keys verify-email': async () => (await import('./keys.ts')).keysVerifyEmail,
    'keys expiring': async () => (await import('./keys.ts')).keysExpiring,
  },
  'Read the access log': {
    'access-log export': async () => (await import('./access-log.ts')).accessLogExport,
    'access-log verify': async () => (await import('./access-log.ts')).accessLogVerify,
    'access-log expire': async () => (await import('./access-log.ts')).accessLogExpire,
  },
  'Move to several machines': {
    'store copy': async () => (await import('./store.ts')).storeCopy,
  },
  'Work with Companion Attestations': {
    'attest keygen': async () => (await import('./attest/keygen.ts')).attestKeygen,
    'attest new': async () => (await import('./attest/new.ts')).attestNew,
    'attest sign': async () => (await import('./attest/sign.ts')).attestSign,
    'attest verify': async () => (await import('./attest/verify.ts')).attestVerify,
    'attest register': async () => (await import('./attest/register.ts')).attestRegister,
    'attest status': async () => (await import('./attest/status.ts')).attestStatus,
    'attest drift': async () => (await import('./attest/drift.ts')).attestDrift,
    'attest revoke': async () => (await import('./attest/revoke.ts')).attestRevoke,
  },
  'Run the simulation': {
    simulate: async () => (await import('./simulate.ts')).simulate,
  },
};

/** Every command by its name, which has one word or two. */
export const COMMANDS: Readonly<Record<string, Load>> = Object.assign({}, ...Object.values(TASKS));

/** Commands by name, in the order of the help; by default all of them. */
export async function loadCommands(names = Object.keys(COMMANDS)): Promise<Record<string, Command>> {
  const loaded = names.map(async (name) => [name, await COMMANDS[name]!()] as const);
  return Object.fromEntries(await Promise.all(loaded));
}
