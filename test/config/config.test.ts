import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { flagsFor, type Options, readConfig, readOptions } from '../../pipeline/config/config.ts';
import { nearestName } from '../../pipeline/config/nearest-name.ts';
import { PROJECT } from '../../pipeline/config/project.ts';
import { type Setting, text, truth } from '../../pipeline/config/setting.ts';
import { SETTINGS, type SettingName } from '../../pipeline/config/settings.ts';
import { exitOf } from '../../pipeline/errors.ts';
import { COMMAND } from '../contract/commands/seam.ts';
import { faultOf } from '../fault-of.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';

const NAMES = Object.keys(SETTINGS) as SettingName[];

const REBUILD = {
  flag: 'rebuild',
  default: 'false',
  unit: 'true or false',
  switch: true,
  schema: truth,
} as const;
const FILE = { flag: 'file', default: '-', unit: 'a file, or - for standard input', schema: text } as const;
/** The options of a command with settings, a switch and a flag of its own. */
const OPTIONS: Options = {
  port: SETTINGS.port,
  out: SETTINGS.out,
  rebuild: { ...REBUILD, description: 'Rebuilds.' },
  file: { ...FILE, description: 'A document.' },
};

describe('a setting', () => {
  test('is its default where nothing says otherwise, a path below the project’s folder', () => {
    expect(readConfig(['port', 'out', 'chromium', 'withoutPdf', 'ledger'], [], {})).toEqual({
      port: 8080,
      out: resolve(PROJECT, 'var/data'),
      chromium: null,
      withoutPdf: false,
      ledger: { kind: 'directory', path: resolve(PROJECT, 'var/ledger') },
    });
  });

  test('that is a path is one below the working directory', () => {
    expect(readConfig(['out'], ['--out', 'elsewhere'], {}).out).toBe(resolve('elsewhere'));
    expect(readConfig(['out'], [], { CATHEDRAL_OUT: '/srv/data' }).out).toBe('/srv/data');
  });

  test('may be standard input, which a flag calls -', () => {
    const { values } = readOptions(OPTIONS, { args: ['--file', '-', '--rebuild'], env: {} });
    expect(values).toMatchObject({ file: '-', rebuild: true });
  });

  test('for a remote ledger is its address, without a slash at the end', () => {
    const { ledger } = readConfig(['ledger'], ['--ledger', 'civic+https://ledger.example/api/'], {});
    expect(ledger).toEqual({ kind: 'civic', url: 'https://ledger.example/api' });
  });

  test('for the service’s address follows the port where it is not set itself', () => {
    expect(readConfig(['baseUrl'], [], {}).baseUrl).toBe('http://localhost:8080');
    expect(readConfig(['baseUrl'], [], { PORT: '9000' }).baseUrl).toBe('http://localhost:9000');
    expect(readConfig(['baseUrl'], [], { PORT: '80' }).baseUrl).toBe('http://localhost');
    expect(readConfig(['baseUrl', 'port'], ['--port', '9001'], { PORT: '9000' }).baseUrl).toBe(
      'http://localhost:9001',
    );
    expect(readConfig(['baseUrl'], ['--base-url', 'https://data.example.org'], {}).baseUrl).toBe(
      'https://data.example.org',
    );
  });

  const BASE = 'https://data.example.org';
  const LEDGER = 'civic+https://ledger.example.org';
  const refused: Partial<Record<SettingName, readonly string[]>> = {
    port: ['', '-1', '65536', '80.5', '0x50', '080', ' 80', '1e3'],
    wait: ['86401'],
    out: [''],
    logLevel: ['verbose'],
    baseUrl: [
      ...['data.example.org', 'ftp://data.example.org', 'https:data.example.org', ` ${BASE}`],
      ...['\\open', '/', '/open/data', '/%2e', '?x=1', '?', '#top', ':443', ':'].map((more) => BASE + more),
      ...['https://user:secret@data.example.org', 'https://@data.example.org'],
      ...['https://Data.Example.org', 'HTTPS://data.example.org'],
    ],
    ledger: [
      ...['', 'https://ledger.example.org', 'file:///srv/ledger', 'civic+ftp://ledger.example.org'],
      ...['civic+https://user:secret@ledger.example.org', `${LEDGER}/api?x=1`, `${LEDGER}/api#top`],
    ],
    // Also where the scheme is misspelt.
    store: ['postgress:/user:secret@localhost/cathedral', 'postgres:user:secret@localhost/cathedral'],
    mirrorOrigin: [`${BASE}/copy?x=1`, 'https://user@data.example.org'],
    purgeUrl: ['ftp://cdn.example', 'cdn.example', 'https://user@cdn.example/purge', 'http://cdn.example/#x'],
    simulationOrigins: ['ftp://class.example.org', 'https://class.example.org/', `${BASE},class.example.org`],
    // A secret that is not there may be shown.
    ...{ smtpUrl: [''], accessKeyId: [''], secretAccessKey: [''], sessionToken: [''] },
    withoutPdf: ['yes', '1'],
  };
  const pairs = Object.entries(refused).flatMap(([name, texts]) =>
    texts.map((text) => [name as SettingName, text] as const),
  );
  test.each(pairs)('%s is refused as %j, by name, with what is allowed and what came', (name, text) => {
    const setting: Setting = SETTINGS[name];
    const error = faultOf(() => readConfig([name], [], { [setting.env!]: text }));
    expect(error).toMatchObject({ code: 'config_invalid', place: setting.env, expected: setting.unit });
    expect(error.found).toBe(JSON.stringify(text.replace(':secret@', ':…@')));
    expect(exitOf(error)).toBe(2);
  });
});

test.each(['accessKeyId', 'secretAccessKey', 'sessionToken', 'readerApiKey', 'governmentKey'] as const)(
  '%s is refused with a line end, as a file of Windows has, and is not quoted',
  (name) => {
    const { env, unit } = SETTINGS[name];
    for (const text of ['hidden-value\r', 'hidden-\nvalue', ' hidden-value'])
      expect(faultOf(() => readConfig([name], [], { [env]: text }))).toMatchObject({
        code: 'config_invalid',
        place: env,
        expected: unit,
        found: 'another value',
      });
    expect(readConfig([name], [], { [env]: 'a/b+c=' })[name]).toBe('a/b+c=');
  },
);

test.each(['"/srv/data"', "'/srv/data'", '/srv/data\r', '~/data', '~', ' '])(
  'the path %j is refused, which a shell would have changed: otherwise it is a new folder of that name',
  (text) => {
    const { env, unit } = SETTINGS.out;
    for (const read of [
      () => readConfig(['out'], [], { [env]: text }),
      () => readConfig(['out'], [`--out=${text}`], {}),
    ])
      expect(faultOf(read)).toMatchObject({
        code: 'config_invalid',
        expected: `${unit}, without quotes or a line end around it, and without ~, which only a shell replaces`,
        found: JSON.stringify(text),
      });
    for (const fine of ["/srv/it's", '/srv/~/a b ', './~', '/srv/"a"'])
      expect(readConfig(['out'], [], { [env]: fine }).out).toBe(resolve(fine));
  },
);

test.each([
  ['the name of a key', 'sourceCode', 'https://example.org/a\u202eb', 'U+202E (character 22)'],
  [
    'an address that looks like another',
    'mirrorOrigin',
    'https://example.org/\u200b',
    'U+200B (character 21)',
  ],
] as const)('%s is refused by what nobody sees in it', (_, name, text, named) => {
  const error = faultOf(() => readConfig([name], [], { [SETTINGS[name].env]: text }));
  expect(error).toMatchObject({
    code: 'config_invalid',
    expected: `text without ${named}, which nobody sees`,
  });
});

// A proxy in the same network mostly has no certificate.
test.each(['https://cdn.example/purge?all', 'http://varnish:6081/'])('a purge may go to %s', (url) =>
  expect(readConfig(['purgeUrl'], ['--purge-url', url], {}).purgeUrl).toBe(url),
);

describe('an argument without a flag', () => {
  test('is taken in order, wherever it stands, and named in messages as in the usage', () => {
    const reading = { env: {}, positionals: ['file', 'out'] };
    const { values } = readOptions(OPTIONS, { ...reading, args: ['a.json', '--rebuild', '/srv/out'] });
    expect(values).toMatchObject({ file: 'a.json', out: '/srv/out', rebuild: true });
    expect(() => readOptions(OPTIONS, { ...reading, args: ['a.json', ''] })).toThrow(
      /^OUT: expected a folder/,
    );
  });

  test('may be a negative number, and is one unknown flag where it is a word after one dash', () => {
    const reading = { env: {}, positionals: ['file', 'out'] };
    expect(readOptions(OPTIONS, { ...reading, args: ['-0.1', '-.5'] }).values).toMatchObject({
      file: '-0.1',
      out: resolve('-.5'),
    });
    expect(faultOf(() => readOptions(OPTIONS, { ...reading, args: ['-rebuild', 'a.json'] }))).toMatchObject({
      code: 'usage',
      place: '-rebuild',
      expected: expect.stringMatching(/^--rebuild, or a flag/),
    });
  });
});

describe('every setting', () => {
  test.each(NAMES)('%s has a default that it allows, and says what it is', (name) => {
    const { flag, env, description, unit, default: text }: Setting = SETTINGS[name];
    expect(() => readConfig([name], [], {})).not.toThrow();
    if (flag !== null) expect(flag).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(env).toMatch(/^(CATHEDRAL_[A-Z_]+|PORT|SMTP_URL|CHROMIUM_PATH|AWS_[A-Z_]+)$/);
    expect(description).toMatch(/[.]$/);
    expect(unit.length).toBeGreaterThan(3);
    if (text === '') throw new Error('an empty default looks like none');
  });
});

describe('a command that starts another', () => {
  test('hands on the flags that the other takes, and no others', () => {
    const options = { ...OPTIONS, withoutPdf: SETTINGS.withoutPdf };
    const args = ['--port', '80', '--out=a b', '--rebuild', '--without-pdf'];
    const { flags } = readOptions(options, { args, env: {} });
    expect(flagsFor(['out', 'withoutPdf', 'ledger'], flags)).toEqual(['--out=a b', '--without-pdf']);
  });
});

describe('the nearest name', () => {
  test.each([
    ['otu', 'out', 'has two neighbours swapped'],
    ['ou', 'out', 'lacks a letter'],
    ['witnesss-ppolicyy', 'witness-policy', 'has three too many'],
    ['Oit', 'out', 'has another letter, and a capital'],
    ['witnes-polcy', 'witness-policy', 'lacks two'],
    ['pxxt', 'port', 'has two other letters in four'],
    ['porz', 'port', 'is nearer to that than to “pots”'],
  ])('of %s is %s, which %s', (name, nearest) => {
    expect(nearestName(name, ['pots', 'out', 'port', 'witness-policy'])).toBe(nearest);
  });

  test.each(['tuo', 'oiu', 'zzz', '', 'wwwitness-polyc'])('of %j is none: nothing is near', (name) => {
    expect(nearestName(name, ['out', 'witness-policy'])).toBeNull();
  });
});

test('a path below a working directory that was removed is refused by its name', async () => {
  const folder = await temporaryFolder();
  const { status, stderr } = spawnSync(
    '/bin/sh',
    ['-c', 'rmdir "$PWD" && exec "$0" ledger check own/ledger', COMMAND[0]!],
    { cwd: folder, encoding: 'utf8' },
  );
  expect([status, stderr]).toEqual([
    2,
    expect.stringContaining(
      'LEDGER: expected a working directory, below which own/ledger is, found one that was removed',
    ),
  ]);
});
