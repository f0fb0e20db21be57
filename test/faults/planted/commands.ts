import type { PlantedFault } from './planted-fault.ts';

export const FAULTS: readonly PlantedFault[] = [
  {
    name: 'a variable overrides a flag',
    breaks: 'A flag overrides its environment variable, which overrides the default',
    file: 'pipeline/config/config.ts',
    change: [
      'if (byFlag !== undefined) return { place: own',
      'if (byFlag !== undefined && (!variable || env[variable] === undefined)) return { place: own',
    ],
    tests: ['test/contract/commands.test.ts'],
  },
  {
    name: 'a misspelt variable is ignored',
    breaks: 'A setting that is silently ignored is discovered in production',
    file: 'pipeline/config/config.ts',
    change: [
      'name.startsWith(PREFIX) && !known.includes(name)',
      'name.startsWith(PREFIX) && known.length === 0',
    ],
    tests: ['test/contract/commands.test.ts'],
  },
  {
    name: 'the last of two values counts',
    breaks: 'Impossible combinations fail at start-up',
    file: 'pipeline/config/config.ts',
    change: [
      "else errors.push(wrong('usage', { place, expected: 'one value', found: 'two' }));",
      'else flags.set(name, text);',
    ],
    tests: ['test/contract/commands.test.ts'],
  },
  {
    name: 'refused events end with status 0',
    breaks: 'Exit status 1: the work failed or found something',
    file: 'src/commands/ledger.ts',
    change: ['status: errors === 0 ? 0 : 1', 'status: 0'],
    tests: ['test/contract/commands.test.ts'],
  },
  {
    name: 'a dry run appends',
    breaks: '--dry-run checks everything and appends nothing',
    file: 'pipeline/sources/append/append-files.ts',
    change: ['{ ...batch.appendOptions, dryRun }', '{ ...batch.appendOptions }'],
    tests: ['test/contract/commands.test.ts'],
  },
  {
    name: 'an error moves the cursor',
    breaks: 'Text from anywhere cannot control the terminal',
    file: 'src/commands/main.ts',
    change: ['escaped(error.message)', 'error.message'],
    tests: ['test/contract/commands.test.ts'],
  },
  {
    name: 'a verdict that nobody read ends with status 0',
    breaks: 'Exit status 141: the reader of standard output left early',
    file: 'src/commands/main.ts',
    change: ['let unread = 141;', 'let unread = 0;'],
    tests: ['test/contract/commands.test.ts'],
  },
  {
    name: 'a host that is silent looks like a forgery',
    breaks: 'Exit status 4: a host did not answer, and nothing was found wrong',
    file: 'pipeline/errors.ts',
    change: ['mirror_unreachable: { exit: 4,', 'mirror_unreachable: { exit: 1,'],
    tests: ['test/contract/commands.test.ts'],
  },
  {
    name: 'an earlier name takes any file',
    breaks: 'verify-export and verify-proof refuse a file that is neither, whatever a release lists',
    file: 'src/commands/understand.ts',
    change: ['args: kind ? [`--kind=${kind}`, ...args] : args', 'args: kind ? [...args] : args'],
    tests: ['test/contract/commands.test.ts'],
  },
  {
    name: 'an option of no use is ignored',
    breaks: 'verify refuses an option that says nothing about what was given',
    file: 'src/commands/proofs.ts',
    change: ['if (unused === undefined) return;', 'if (flags.size > 0) return;'],
    tests: ['test/contract/commands.test.ts'],
  },
];
