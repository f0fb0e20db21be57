import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROJECT, readConfig } from '../../pipeline/config/config.ts';
import { SETTINGS } from '../../pipeline/config/settings.ts';
import { ACCESS_LOG } from '../../src/commands/access-log.ts';
import { ATTEST } from '../../src/commands/attest.ts';
import { AUDIT } from '../../src/commands/audit.ts';
import { formatHelp } from '../../src/commands/help.ts';
import { KEYS } from '../../src/commands/keys.ts';
import { Progress } from '../../src/commands/progress.ts';
import { PUBLISHER } from '../../src/commands/publisher.ts';
import { COMMANDS } from '../../src/commands/table.ts';
import { failureOf, temporaryFolder } from '../release/temporary-folder.ts';
import { runCli } from './run-cli.ts';

const NAMES = Object.keys(COMMANDS);

describe('the table of commands', () => {
  test.each(Object.entries({ KEYS, ACCESS_LOG, ATTEST, PUBLISHER, AUDIT }))(
    'has each of %s',
    (_, commands) => {
      expect(NAMES).toEqual(expect.arrayContaining(Object.keys(commands)));
    },
  );
});

describe('cathedral', () => {
  test('lists its commands with --help, and says nothing on standard error', async () => {
    const { status, stdout, stderr } = await runCli(['--help']);
    expect([status, stderr]).toEqual([0, '']);
    for (const name of NAMES) expect(stdout).toContain(`  ${name} `);
  });

  test('says which setting names a place where it may not write', async () => {
    const who = ['--tier=economist', '--areas=economy', '--email=a@example.org', '--name=A'];
    const why = ['--affiliation=none', '--purpose=research', '--volume=1', '--deliver=print'];
    const { status, stderr } = await runCli(['keys', 'issue', ...who, ...why], {
      CATHEDRAL_KEYS: '/sys/cathedral/keys.sqlite',
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^cathedral: \/sys\/cathedral\/keys.sqlite: .*; another place is set by --keys or CATHEDRAL_KEYS\n$/,
    );
  });

  test('tells its version', async () => {
    expect((await runCli(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test.each([
    [[], 'command: expected one of'],
    [['biuld'], 'command: expected perhaps build, found "biuld"'],
    [['__proto__'], 'command: expected one of'],
    [['build', '--outt=x'], '--outt: expected perhaps --out'],
    [['serve', '--port', 'http'], '--port: expected a TCP port, 0 to 65535, found "http"'],
    [['check', 'everything'], 'everything: expected a flag'],
  ])('%j is wrong use: exit 2, and one line that says what was expected', async (args, message) => {
    const { status, stdout, stderr } = await runCli(args);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`cathedral: ${message}`);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  test('run by npm from another folder, takes the names of files as they are there', () => {
    const { scripts } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'));
    const env = {
      PATH: `${join(PROJECT, 'node_modules/.bin')}:${process.env.PATH}`,
      INIT_CWD: tmpdir(),
      npm_package_json: join(PROJECT, 'package.json'),
    };
    const script = `${scripts.cathedral} attest sign --key nothing.key`;
    const { status, stderr } = spawnSync('sh', ['-c', script], { cwd: PROJECT, env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining(`${join(tmpdir(), 'nothing.key')}: expected a file`),
    ]);
  });

  test('refuses a misspelt variable before it does anything', async () => {
    const { status, stderr } = await runCli(['build'], { CATHEDRAL_LEGDER: '/srv/ledger' });
    expect(status).toBe(2);
    expect(stderr).toContain('CATHEDRAL_LEGDER: expected perhaps CATHEDRAL_LEDGER');
  });
});

describe('a command over what somebody else keeps', () => {
  test.each([
    ['keys list', '--keys', []],
    ['keys expiring', '--keys', ['--within', '30']],
    ['keys revoke', '--keys', ['--id', 'k_0123456789ab', '--reason', 'left']],
    ['keys rotate', '--keys', ['--id', 'k_0123456789ab', '--deliver', 'print']],
    ['keys verify-email', '--keys', ['--email', 'eve@university.example', '--code', '7K2M-9QXT-4HBD']],
    ['access-log verify', '--access-log', []],
    ['access-log export', '--access-log', []],
    ['access-log expire', '--access-log', ['--before', '2025-12-01']],
    ['publisher show', '--publisher-key', []],
    ['publisher rotate', '--publisher-key', []],
    ['publisher retire', '--publisher-key', ['--out', '/nowhere']],
    ['publisher replace', '--publisher-key', ['--out', '/nowhere', '--gives-up', '01234567']],
    ['check', '--out', ['--ledger', '/nowhere', '--ledger-key', '/nowhere.vkey']],
  ])('%s refuses a mistyped path, and makes nothing there', async (name, flag, args) => {
    const folder = await temporaryFolder();
    const command = await COMMANDS[name]!();
    const path = join(folder, 'mistyped', 'path');
    const config = readConfig(command.settings, [flag, path, ...args]) as never;
    const progress = new Progress({ write: () => true }, Date.now);
    const context = {
      args: [],
      now: Date.now,
      progress,
      print: (line: string) => expect.unreachable(line),
      write: async () => undefined,
      untilStopped: () => new AbortController().signal,
    };
    expect(await failureOf(async () => command.run(config, context))).toMatchObject({
      name: 'CathedralError',
    });
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('cathedral … --help', () => {
  test.each(['build', 'keys issue'])('of %s prints that command’s help, and exits 0', async (name) => {
    const { status, stdout } = await runCli([...name.split(' '), '--help']);
    expect([status, stdout]).toEqual([0, formatHelp(name, await COMMANDS[name]!())]);
  });

  test.each(NAMES)('of %s has each of its flags with its default', async (name) => {
    const stdout = formatHelp(name, await COMMANDS[name]!());
    const { settings } = await COMMANDS[name]!();
    for (const setting of settings) {
      const { flag } = SETTINGS[setting];
      expect(stdout).toContain(flag === null ? `  ${SETTINGS[setting].env}` : `  --${flag}`);
      const { env, default: text } = SETTINGS[setting];
      if (env !== null) expect(stdout.replace(/\s+/g, ' ')).toContain(env);
      if (text !== null && text !== 'false')
        expect(stdout.replace(/\s+/g, ' ')).toContain(`default: ${text}`);
    }
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(96);
  });
});
