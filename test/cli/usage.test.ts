import { readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Setting } from '../../pipeline/config/setting.ts';
import { SETTINGS } from '../../pipeline/config/settings.ts';
import { readArguments } from '../../src/commands/command.ts';
import { formatHelp } from '../../src/commands/help.ts';
import { COMMANDS, loadCommands } from '../../src/commands/table.ts';
import { flagsOfRuns } from '../../src/service/scheduled-runs.ts';
import { COMMAND, RunningCli, runHere } from '../contract/commands/seam.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';

const ALL = await loadCommands();
const NAMES = Object.keys(COMMANDS);

/** The options that every reading command needs, for a run in which everything it could read is missing. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  'as-of': ['2025-12-01T06Z'],
  verify: ['missing/copy'],
  prove: ['0'.repeat(64)],
  'keys expiring': ['--within', '30'],
  'attest sign': ['--key-file', 'missing/key'],
  'attest new': ['--draft', 'missing.json'],
  'attest verify': ['--file', 'missing.json', '--companions', 'missing/companions.json'],
  'attest status': ['--attestation', '0'.repeat(64)],
  simulate: ['--scenario', 'missing', '--seeds', '1'],
};

/** Every path that a setting names, below a folder. */
function settingsIn(folder: string): Record<string, string> {
  const paths = Object.values(SETTINGS).filter(({ path, default: value }: Setting) => path && value !== null);
  return Object.fromEntries(paths.map(({ env }) => [env, join(folder, 'mistyped', env)]));
}

describe('a command that only reads', () => {
  const readers = Object.entries(ALL).filter(([, { isReader }]) => isReader);

  test.each([...readers.map(([name]) => name), 'keys expiring'])(
    '%s fails in an empty folder, and creates nothing there',
    async (name) => {
      const folder = await temporaryFolder();
      const args = (ARGUMENTS[name] ?? []).map((arg) => arg.replace(/^missing/, join(folder, 'missing')));
      const { status, stdout, stderr } = await runHere(name, args, { env: settingsIn(folder) });
      expect([status === 0, stdout]).toEqual([false, '']);
      expect(stderr).toMatch(/^cathedral: .*expected .*, found /m);
      expect(await readdir(folder, { recursive: true })).toEqual([]);
    },
  );

  // `attest new` and `simulate` read nothing that a setting names.
  test.each(readers.map(([name]) => name).filter((name) => !['attest new', 'simulate'].includes(name)))(
    '%s names the place where a file is in place of a folder',
    async (name) => {
      const folder = await temporaryFolder();
      await writeFile(join(folder, 'mistyped'), '');
      const args = (ARGUMENTS[name] ?? []).map((arg) => arg.replace(/^missing/, join(folder, 'mistyped')));
      const { status, stderr } = await runHere(name, args, { env: settingsIn(folder) });
      expect(status).not.toBe(0);
      expect(stderr).toMatch(/^cathedral: .*mistyped.*expected .*, found /m);
      expect(await readdir(folder)).toEqual(['mistyped']);
    },
  );

  test.each(['check', 'as-of', 'prove', 'attest verify', 'attest status'])(
    '%s makes no import key for a remote ledger',
    async (name) => {
      const folder = await temporaryFolder();
      const args = [...(ARGUMENTS[name] ?? []), '--ledger', 'civic+http://127.0.0.1:9'];
      const { status, stderr } = await runHere(name, args, { env: settingsIn(folder) });
      expect([status, stderr]).toEqual([2, expect.stringContaining('CATHEDRAL_IMPORT_KEY: expected')]);
      expect(await readdir(folder, { recursive: true })).toEqual([]);
    },
  );

  test('is every command that lists, shows, checks, verifies or exports', () => {
    const reading = NAMES.filter((name) =>
      /\b(list|show|check|as-of|verify|prove|export|status)$/.test(name),
    );
    expect(reading.length).toBeGreaterThan(8);
    expect(reading.filter((name) => !ALL[name]!.isReader)).toEqual([]);
  });
});

test('a ledger behind a link that leads nowhere is refused with its place', async () => {
  const link = join(await temporaryFolder(), 'ledger');
  await symlink('nowhere', link);
  const { status, stderr } = await runHere('sample', ['--ledger', link, '--to', '2025-07-04']);
  expect([status, stderr]).toEqual([
    1,
    expect.stringContaining(`cathedral: ${link}: expected a folder, found ENOTDIR`),
  ]);
});

describe.each([
  ['ledger init', '--charter', ['{folder}/ledger', '--origin', 'ledger.example.org']],
  ['ledger append', '--mapping', ['{folder}/events.csv', '--ledger', '{folder}']],
  ['ledger append', '--ledger-key', ['{folder}/events.csv', '--ledger', '{folder}']],
  ['verify', '--policy', ['{folder}']],
  ['verify', '--verifier-key', ['{folder}']],
  ['verify', '--checkpoint', ['{folder}']],
  ['witness', '--logs', ['--state', '{folder}/state', '--witness-name', 'w.example.org/1']],
  ['attest verify', '--companions', ['--file', '{folder}/missing.json']],
])('%s %s', (name, flag, args) => {
  test('refuses a device that never ends', async () => {
    const folder = await temporaryFolder();
    const given = [...args.map((arg) => arg.replace('{folder}', folder)), flag, '/dev/zero'];
    const { status, stderr } = await runHere(name, given);
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/\/dev\/zero.*: expected .*at most \d+ bytes/),
    ]);
  });
});

test('a file that is no checkpoint is wrong use of --checkpoint, and says nothing about the service', async () => {
  const key = join(await temporaryFolder(), 'publisher.vkey');
  await writeFile(key, 'localhost:8080+c327ec38+AfXad6qgVGfszYdAA6V8RRbhfWm/lWJ5uXgpcRhTAZfl\n');
  const { status, stdout, stderr } = await runHere('verify', [
    'https://data.example.org',
    '--checkpoint',
    key,
  ]);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toContain(
    `${key}: expected a text, a blank line and signatures, found no blank line (config_invalid)`,
  );
});

describe('a command that changes what exists', () => {
  test.each([
    ['keys revoke', ['--key-id', 'k_0123456789ab', '--reason', 'left']],
    ['keys rotate', ['--key-id', 'k_0123456789ab', '--deliver', 'print']],
    ['keys verify-email', ['--email', 'eve@university.example', '--code', '7K2M-9QXT-4HBD']],
    ['access-log expire', ['--before', '2025-12-01']],
    ['publisher rotate', []],
    ['publisher retire', []],
    ['publisher replace', ['--gives-up', '01234567']],
  ])('%s refuses a mistyped path, and creates nothing there', async (name, args) => {
    const folder = await temporaryFolder();
    const { status, stdout } = await runHere(name, args, { env: settingsIn(folder) });
    expect([status, stdout]).toEqual([1, '']);
    expect(await readdir(folder, { recursive: true })).toEqual([]);
  });
});

describe('the flags', () => {
  test.each(NAMES)('of %s are complete: a description, a unit, and a default that it allows', (name) => {
    for (const option of Object.values(ALL[name]!.options)) {
      const { flag, unit, description, default: value, schema, required } = option;
      expect(description, `${flag}`).toMatch(/^[A-Z].*\.$/);
      expect(unit.length).toBeGreaterThan(3);
      if (flag !== null) expect(flag).toMatch(/^[a-z]+(-[a-z]+)*$/);
      if (value !== null && !value.includes('{'))
        expect(z.safeParse(schema, value).success, `${flag}`).toBe(true);
      if (required) expect(value).toBeNull();
    }
  });
});

describe('the help', () => {
  test.each(NAMES)('of %s has every option with its default, what is required, and examples', (name) => {
    const command = ALL[name]!;
    const help = formatHelp(name, command);
    const words = help.replace(/\s+/g, ' ');
    for (const { flag, env, default: value, required, switch: isSwitch } of Object.values(command.options)) {
      expect(help).toContain(flag === null ? `  ${env} (environment variable)` : `--${flag}`);
      if (env) expect(words).toContain(env);
      if (value !== null && !isSwitch) expect(words).toContain(`default: ${value}`);
      if (typeof required === 'string') expect(words).toContain(`required ${required}`);
    }
    expect(words).toContain('Examples: ');
    expect(Math.max(...help.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(help).not.toMatch(/\bFor `/);
  });

  test.each(NAMES)('of %s has examples that it would accept', async (name) => {
    for (const example of ALL[name]!.examples) {
      const [, line = ''] = /cathedral (.*?)(?: >.*)?$/.exec(example) ?? [];
      expect(line.startsWith(name)).toBe(true);
      const args = [...line.slice(name.length).matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
        ([, one, two, three]) => one ?? two ?? three!,
      );
      const filled = args.map((arg) => (/^(0x)?[0-9a-f]+…$/.test(arg) ? '0'.repeat(64) : arg));
      const whole = filled.map((arg) =>
        arg.replace('cds_economy_…', 'cds_economy_000000000000000000000000000043_00X9jD'),
      );
      await expect(readArguments(name, ALL[name]!, whole, {})).resolves.toBeDefined();
    }
  });
});

describe('--port of a service', () => {
  test.each([
    ['--port', ['--port', '4650'], {}],
    ['PORT', [], { PORT: '4650' }],
  ])('%s is in the address that the runs of the service publish', async (_, args, env) => {
    const { values, flags } = await readArguments('start', ALL.start!, args, env);
    expect(flagsOfRuns(values as { baseUrl: string }, flags)).toEqual(['--base-url=http://localhost:4650']);
  });
});

test('a service hands every setting of a run on to its runs, each once', () => {
  const given = Object.entries(ALL.start!.options ?? {}).filter(([, { flag }]) => flag !== null);
  const flags = new Map(given.map(([name]) => [name, 'X']));
  const handed = flagsOfRuns({ baseUrl: 'X' }, flags).map((flag) => flag.split('=')[0]!);
  expect(handed).toContain('--store');
  expect(handed).toEqual([...new Set(handed)]);
});

test('a start that follows another has the types of no module to take away, and loads no HTTP client for it', async () => {
  const folder = await temporaryFolder();
  const [cache, probe] = [join(folder, 'cache'), join(folder, 'probe.mjs')];
  const says = "process.on('exit', () => console.log(process.moduleLoadList.join()));";
  await writeFile(probe, says);
  const env = { NODE_COMPILE_CACHE: cache, NODE_OPTIONS: `--import ${probe}` };
  const start = () => new RunningCli(['version'], env, COMMAND).finished();
  expect((await start()).stdout).toContain('internal/deps/amaro');
  expect((await start()).stdout).not.toMatch(/internal\/deps\/(amaro|undici)/);
});

test.each([
  ['version', 0],
  ['no-such-command', 2],
])(
  '%s ends although something is left open, such as a connection that nobody ends',
  async (command, status) => {
    const probe = join(await temporaryFolder(), 'probe.mjs');
    await writeFile(probe, 'setInterval(() => {}, 60_000);');
    const env = { NODE_OPTIONS: `--import ${probe}` };
    expect(await new RunningCli([command], env, COMMAND).finished()).toMatchObject({ status });
  },
);
