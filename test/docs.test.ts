import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { sentinelCoordination } from '../pipeline/artifacts/academics/sentinel-coordination.ts';
import {
  dataDictionary,
  type Field,
  fieldsOf,
  withPublishedFiles,
} from '../pipeline/artifacts/data-dictionary.ts';
import { micHistory } from '../pipeline/artifacts/economy/mic-history.ts';
import { EVENT_TYPES, formatEventReference } from '../pipeline/artifacts/event-reference.ts';
import { ARTIFACTS } from '../pipeline/artifacts/table.ts';
import { readOptions } from '../pipeline/config/config.ts';
import type { Setting } from '../pipeline/config/setting.ts';
import { SETTINGS } from '../pipeline/config/settings.ts';
import { ERROR_CODES } from '../pipeline/errors.ts';
import { EVENT_DATA } from '../pipeline/ledger/events/event.ts';
import { formatMappingSchema } from '../pipeline/sources/rows/mapping-file.ts';
import { DOCS_WITH_TABLES, withTables } from '../scripts/doc-tables.ts';
import { PROBLEMS } from '../src/api/problem.ts';
import { formatProblemReference } from '../src/api/problem-reference.ts';
import { OVERLAP_DAYS } from '../src/api/tiers.ts';
import { readArguments } from '../src/commands/command.ts';
import { formatReference } from '../src/commands/reference.ts';
import { COMMANDS, loadCommands } from '../src/commands/table.ts';
import { understand } from '../src/commands/understand.ts';
import { RUN_GRACE_MS } from '../src/scheduler/scheduled-build.ts';
import { formatMetricsReference } from '../src/sidecar/health/metrics-reference.ts';
import { PROGRAMS as POSTGRES } from './engines/postgres.ts';
import { temporaryFolder } from './release/temporary-folder.ts';

const { start, serve, 'publisher run': publisherRun } = await loadCommands();

const PROJECT = resolve(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(PROJECT, path), 'utf8');
const PAGES = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(PROJECT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

const troubleshooting = read('docs/troubleshooting.md');
const packageJson = JSON.parse(read('package.json')) as Record<
  'bin' | 'dependencies' | 'devDependencies' | 'scripts',
  Record<string, string>
>;

describe('the documentation', () => {
  test.each(Object.keys(ERROR_CODES))('says what to do about %s', (code) => {
    const [, row = ''] = troubleshooting.split(`| \`${code}\` | `);
    expect(row.split(' |\n')[0]!.split(' | ')[2]!.length).toBeGreaterThan(20);
  });

  test('says how long a rotated key works', () => {
    expect(read('docs/access.md')).toContain(`works for ${OVERLAP_DAYS} more days`);
  });

  test('names no setting, command, error or problem that there is not', async () => {
    const options = Object.values(await loadCommands()).flatMap((command) => Object.values(command.options));
    const flags = options.map(({ flag }) => `--${flag}`);
    const variables = Object.values(SETTINGS).map((setting: Setting) => setting.env);
    const codes = [...Object.keys(ERROR_CODES), ...Object.keys(PROBLEMS)];
    const text = PAGES.map(read).join('\n');
    const named = (pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map((match) => match[1]!))];
    const unknown = [
      ...named(/\b(CATHEDRAL_[A-Z_]+[A-Z])\b/g).filter((name) => !variables.includes(name)),
      ...named(/cathedral (?:-- )?([a-z]+)`/g).filter(
        (name) => !Object.hasOwn(COMMANDS, name) && !['help', 'version'].includes(name),
      ),
      ...named(/cathedral (?:-- )?[a-z]+ (--[a-z-]+)/g).filter(
        (flag) => ![...flags, '--help', '--version'].includes(flag),
      ),
      ...[...troubleshooting.matchAll(/^\| (?:\d{3} \| )?`([a-z_]+)` \| /gm)]
        .map((match) => match[1]!)
        .filter((code) => !codes.includes(code)),
    ];
    expect(unknown).toEqual([]);
  });
});

describe('lines to copy', () => {
  const lines = PAGES.flatMap((page) => read(page).split('\n'));

  test('name programs of a crontab by their path, since cron looks in /usr/bin and /bin only', () => {
    const programs = lines.flatMap((line) => /^[\d*/]+(?: [\d*/]+){4} +(\S+)/.exec(line)?.[1] ?? []);
    expect([...new Set(programs)]).toEqual(['/usr/local/bin/cathedral']);
  });

  test('install what other users can read, also where root’s own files are for itself alone', () => {
    const before = lines.flatMap((line, at) =>
      line.startsWith('tar -xzf ') ? [lines.slice(at - 2, at)] : [],
    );
    expect(before.length).toBeGreaterThan(1);
    for (const [umask] of before) expect(umask).toMatch(/^umask 022 /);
  });

  test('let nobody else read a copy of a database, which sqlite3 makes for all to read', () => {
    const copies = lines.flatMap((line) => /^sqlite3 .* "\.backup (\S+)"$/.exec(line)?.[1] ?? []);
    expect(copies).toHaveLength(2);
    expect(lines.find((line) => line.startsWith('chmod 600 '))?.split(' ')).toEqual(
      expect.arrayContaining(copies),
    );
  });

  test('run a command with every file of settings that the units have, also that of the mail server', () => {
    const files = read('deploy/cathedral.service').match(/^EnvironmentFile=.*$/gm)!;
    expect(files).toHaveLength(2);
    const runs = lines.filter((line) => line.includes('systemd-run '));
    expect(runs).not.toEqual([]);
    for (const line of runs) for (const file of files) expect(line).toContain(` -p ${file} `);
  });
});

describe('the systemd units', () => {
  const UNITS = readdirSync(join(PROJECT, 'deploy')).filter((name) => /\.(service|timer)$/.test(name));
  const linesOf = (file: string) => read(`deploy/${file}`).split('\n');
  const valuesOf = (unit: string, name: string) =>
    linesOf(unit)
      .filter((line) => line.startsWith(`${name}=`))
      .map((line) => line.slice(name.length + 1));
  const settingsOf = (file: string): Record<string, string> =>
    Object.fromEntries(
      linesOf(file)
        .filter((line) => /^[A-Z]/.test(line))
        .map((line) => line.split(/=(.*)/s)),
    );
  const startOf = (unit: string) => valuesOf(unit, 'ExecStart').at(-1)!;
  const environment = settingsOf('cathedral.env');
  const many = { ...environment, ...settingsOf('cathedral-many.env') };
  const FOLDERS = { StateDirectory: '/var/lib', CacheDirectory: '/var/cache' };

  test('set what the commands understand, and every place below the folder that systemd makes', () => {
    const config = readOptions(start!.options, { args: [], env: environment }).values;
    const [state] = valuesOf('cathedral.service', 'StateDirectory');
    const written = Object.keys(start!.options).filter(
      (name) => start!.options[name]!.default?.startsWith('var/') && name !== 'ledger',
    );
    expect(written.length).toBeGreaterThan(4);
    for (const name of written) expect(`${config[name]}/`, name).toMatch(`/var/lib/${state}/`);
    expect(config.baseUrl).toMatch(/^https:/);
    expect(config.ledger).toEqual({ kind: 'directory', path: '/srv/ledger' });
    const mirror = Object.fromEntries(
      valuesOf('cathedral-mirror.service', 'Environment').map((line) => line.split(/=(.*)/s)),
    );
    expect(Object.keys(mirror).every((name) => Object.values(SETTINGS).some(({ env }) => env === name))).toBe(
      true,
    );
  });

  test('go on when the system ends a process that theirs has started, such as a run or its browser, for want of memory', () => {
    const starting = UNITS.filter((unit) =>
      valuesOf(unit, 'ExecStart').some((line) => /^cathedral (?:start|build|publisher run)$/.test(line)),
    );
    expect(starting).toHaveLength(3);
    for (const unit of starting) expect(valuesOf(unit, 'OOMPolicy'), unit).toEqual(['continue']);
  });

  test('take a stop for a success, and a wrong setting for what no restart corrects', () => {
    const services = UNITS.filter((name) => name.endsWith('.service'));
    for (const unit of services) {
      // Of one that runs to its end, systemd takes no signal for a success by itself.
      const statuses = valuesOf(unit, 'Type').includes('oneshot') ? '143 SIGTERM' : '143';
      expect(valuesOf(unit, 'SuccessExitStatus'), unit).toEqual([statuses]);
    }
    for (const unit of services.filter((name) => valuesOf(name, 'Restart').length > 0))
      expect(valuesOf(unit, 'RestartPreventExitStatus'), unit).toEqual(['2']);
  });

  test('start again with the machine, unless a timer starts them', () => {
    for (const unit of UNITS) {
      const timer = unit.replace('.service', '.timer');
      const target = unit.endsWith('.timer') ? ['timers.target'] : ['multi-user.target'];
      const expected = unit !== timer && UNITS.includes(timer) ? [] : target;
      expect(valuesOf(unit, 'WantedBy'), unit).toEqual(expected);
    }
  });

  test('make a server and a publisher of one of many machines, which write where systemd lets them', () => {
    const [, ...args] = startOf('cathedral-serve-many.conf').split(' ').slice(1);
    const server = readOptions(serve!.options, { args, env: many }).values;
    const publisher = readOptions(publisherRun!.options, { args: [], env: many }).values;
    expect(server.ledger).toEqual({ kind: 'store' });
    for (const { store, releases } of [server, publisher]) {
      expect(store).toMatch(/^postgres:/);
      expect(releases).toMatch(/^s3\+https:/);
    }
    const folders = (unit: string) =>
      Object.entries(FOLDERS).flatMap(([name, above]) =>
        valuesOf(unit, name).map((folder) => `${above}/${folder}/`),
      );
    for (const place of [server.out, server.importFolder])
      expect(place).toMatch(folders('cathedral-serve-many.conf')[0]!);
    for (const place of [publisher.out, publisher.importFolder, publisher.publisherKey])
      expect(place).toMatch(folders('cathedral-publisher.service')[0]!);
    // Everything a server writes is in a folder that the unit for one machine does not close.
    const closed = ['ReadOnlyPaths', 'InaccessiblePaths'].flatMap((name) =>
      valuesOf('cathedral-serve.service', name),
    );
    expect(closed.filter((folder) => `${server.out}/`.startsWith(`${folder}/`))).toEqual([]);
  });

  test('start commands that exist, and stop servers no sooner than answers and a run need', () => {
    const services = [...UNITS.filter((name) => name.endsWith('.service')), 'cathedral-serve-many.conf'];
    for (const name of services) {
      const [program, ...words] = startOf(name).split(' ');
      const found = Object.keys(COMMANDS).some((command) => words.join(' ').startsWith(command));
      expect([program, found], name).toEqual(['cathedral', true]);
    }
    const grace = Number(SETTINGS.grace.default);
    const run = RUN_GRACE_MS / 1000;
    const needed = {
      'cathedral.service': grace + run,
      'cathedral-serve.service': grace,
      'cathedral-publisher.service': run,
      // Streams end evenly over the first grace period.
      'cathedral-serve-many.conf': Number(many.CATHEDRAL_DRAIN) + 2 * grace,
    };
    for (const [name, seconds] of Object.entries(needed))
      expect(Number(valuesOf(name, 'TimeoutStopSec')), name).toBeGreaterThan(seconds);
  });

  test.skipIf(spawnSync('systemd-analyze', ['--version']).error)(
    'are what systemd understands, and leave little exposed',
    async () => {
      const folder = await temporaryFolder();
      const units = await Promise.all(
        UNITS.map(async (name) => {
          // Where the package is not installed, systemd would miss the command.
          await writeFile(
            join(folder, name),
            read(`deploy/${name}`).replace('ExecStart=cathedral ', 'ExecStart=/bin/true '),
          );
          return join(folder, name);
        }),
      );
      const dropIn = join(folder, 'cathedral-serve.service.d');
      await mkdir(dropIn);
      const changes = read('deploy/cathedral-serve-many.conf').replace(
        '=cathedral serve',
        '=/bin/true serve',
      );
      await writeFile(join(dropIn, 'many.conf'), changes);
      const analyze = (...args: string[]) =>
        spawnSync('systemd-analyze', ['--no-pager', ...args], { encoding: 'utf8' });
      const { status, stderr } = analyze('verify', ...units);
      expect([status, stderr]).toEqual([0, '']);
      // In tenths of the exposure level, which is 96 for a unit that restricts nothing.
      for (const unit of units.filter((name) => name.endsWith('.service')))
        expect(analyze('security', '--offline=true', '--threshold=40', unit).status, unit).toBe(0);
    },
  );
});

test.skipIf(POSTGRES === null)('the settings of PostgreSQL are what it understands', async () => {
  const file = `config_file=${join(PROJECT, 'deploy/postgresql.conf')}`;
  const folder = await temporaryFolder();
  // Only as the first argument is -C allowed to root.
  const { status, stdout, stderr } = spawnSync(
    join(POSTGRES!, 'postgres'),
    ['-C', 'synchronous_standby_names', '-D', folder, '-c', file],
    { encoding: 'utf8' },
  );
  expect(status, stderr).toBe(0);
  expect(stdout).toMatch(/^ANY 1 \(/);
});

describe('the reference of event types', () => {
  test('is what the schemas of events say (else: npm run dictionary)', () => {
    const page = read('docs/events.md');
    expect(page).toBe(formatEventReference(page));
  });

  test.each(Object.entries(EVENT_DATA))(
    'has every member of %s, and whether it is required',
    (type, schema) => {
      const { fields } = EVENT_TYPES.find((one) => one.type === type)!;
      const shape = 'shape' in schema ? schema.shape : schema.def.options[0].shape;
      for (const [name, member] of Object.entries<z.ZodType>(shape)) {
        const required = !member.safeParse(undefined).success;
        expect(fields.find((field) => field.name === name)).toMatchObject({ required });
      }
    },
  );

  test('has the formulas that the published files state', () => {
    const formulaOf = (fields: readonly Field[], name: string) =>
      fields.find((one) => one.name === name)!.formula;
    const fieldsOfType = (type: string) => EVENT_TYPES.find((one) => one.type === type)!.fields;
    expect(formulaOf(fieldsOfType('mic_mint'), 'amount')).toBe(formulaOf(fieldsOf(micHistory), 'amount'));
    const score = formulaOf(fieldsOf(sentinelCoordination), 'sentinels[].coordination_score');
    expect(formulaOf(fieldsOfType('attestation'), 'score')).toBe(score);
  });
});

describe('the description of mapping files', () => {
  test('has the JSON Schema of the code (else: npm run dictionary), and names each member', () => {
    expect(read('docs/mapping.schema.json')).toBe(formatMappingSchema());
    const page = read('docs/mapping.md');
    const { properties, $defs } = JSON.parse(formatMappingSchema());
    const column = $defs.source.anyOf.find(
      (one: { properties?: object }) => 'column' in (one.properties ?? {}),
    );
    for (const member of [...Object.keys(properties), ...Object.keys(column.properties)])
      expect(page).toContain(`\`${member}\``);
  });
});

describe('the command-line reference', () => {
  test('is what the commands say (else: npm run dictionary)', async () => {
    expect(read('docs/cli.md')).toBe(formatReference(await loadCommands()));
  });
});

describe('a command in a block of code', () => {
  const shown = PAGES.filter((page) => page !== 'docs/cli.md').flatMap((page) =>
    [...read(page).matchAll(/^ *```sh\n(.*?)^ *```$/gms)].flatMap(([, block]) =>
      [
        ...block!
          .replaceAll('\\\n', '')
          .matchAll(/^ *(?:\w+=\S* )*(?:.*\| )?cathedral (.*?)(?: *(?:\|\||[|<>#]).*)?$/gm),
      ]
        // What a reader has to fill in.
        .filter(([, words]) => !/[…$]|\bID\b/.test(words!))
        .map(([, words]) => [page, words!] as const),
    ),
  );

  test.each(shown)('of %s is one that the program understands: %s', async (_, line) => {
    const words = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((word) => word.slice(1).join(''));
    const asked = await understand(words);
    if ('name' in asked) await readArguments(asked.name, await COMMANDS[asked.name]!(), asked.args, {});
    expect(asked).toBeDefined();
  });
});

describe('the list of problems', () => {
  test('is what the code says (else: npm run dictionary)', () => {
    expect(read('docs/problems.md')).toBe(formatProblemReference());
  });
});

test.each(DOCS_WITH_TABLES)(
  'the tables of codes in %s are those of the code (else: npm run dictionary)',
  (doc) => {
    const text = read(`docs/${doc}`);
    expect(withTables(doc, text)).toBe(text);
  },
);

describe('the list of metrics', () => {
  test('is what the server’s tables say (else: npm run dictionary)', () => {
    expect(read('docs/metrics.md')).toBe(formatMetricsReference());
  });
});

describe('the data dictionary', () => {
  test('is what the schemas say (else: npm run dictionary)', () => {
    const page = read('docs/data-dictionary.md');
    expect(page).toBe(dataDictionary(page));
  });
});

describe('the README', () => {
  const readme = read('README.md');

  test('lists every published file, and marks those that need a key (else: npm run dictionary)', () => {
    expect(withPublishedFiles(readme)).toBe(readme);
    for (const { path, restricted } of ARTIFACTS)
      expect(readme).toContain(`\`/${path}\`${restricted ? '\\*' : ''}`);
    expect(readme).toContain(`publishes ${ARTIFACTS.length} files`);
  });

  test('has the two commands on its first screen', () => {
    const screen = readme.split('\n').slice(0, 25).join('\n');
    expect(screen).toContain('npm start');
    expect(screen).toContain('npm test');
  });

  test('names only npm scripts that there are', () => {
    const named = PAGES.flatMap((page) =>
      [...read(page).matchAll(/\bnpm run ([a-z-]+)/g)].map((match) => match[1]!),
    );
    expect(named.filter((name) => !Object.hasOwn(packageJson.scripts, name))).toEqual([]);
  });
});

describe('the list of the documentation', () => {
  const linksIn = (text: string) => [...text.matchAll(/\]\(([^)#]+)/g)].map((match) => match[1]!);
  const list = read('docs/README.md');

  test('sends each reader to at most three pages', () => {
    const readers = list.split('\n').filter((line) => line.startsWith('| ') && line.includes(']('));
    expect(readers.length).toBeGreaterThan(10);
    for (const reader of readers) expect(new Set(linksIn(reader)).size, reader).toBeLessThanOrEqual(3);
  });

  test('has every page', () => {
    const listed = new Set(linksIn(list).map((target) => join('docs', target)));
    expect(
      PAGES.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md' && !listed.has(page)),
    ).toEqual([]);
  });
});

describe('a dependency', () => {
  const lines = read('docs/dependencies.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  const described = lines.flatMap((line) =>
    [...line.split('|')[1]!.matchAll(/`([^`]+)`/g)].map((match) => match[1]!),
  );

  test('has a line that says what it does, and only dependencies have one', () => {
    const { dependencies, devDependencies } = packageJson;
    const names = [dependencies, devDependencies].flatMap(Object.keys);
    expect(described.sort()).toEqual(names.sort());
  });
});

describe('the lock of dependencies', () => {
  interface Locked {
    integrity?: string;
    resolved?: string;
    optional?: true;
    os?: string[];
    cpu?: string[];
    libc?: string[];
  }
  const packagesOf = (lock: string) => JSON.parse(read(lock)).packages as Record<string, Locked>;
  const locked = ['npm-shrinkwrap.json', 'scripts/node/npm-shrinkwrap.json']
    .flatMap((lock) => Object.entries(packagesOf(lock)))
    .filter(([path]) => path !== '');
  const isForHere = ({ os = ['linux'], cpu = ['x64'], libc = ['glibc'] }: Locked) =>
    os.includes('linux') && cpu.includes('x64') && libc.includes('glibc');

  test('has a hash of every package, but for native parts for other machines', () => {
    const bare = locked.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''));
    expect(bare.filter(([, part]) => !part.optional || isForHere(part)).map(([path]) => path)).toEqual([]);
    // Not one more than now: where a registry has them, their hashes are to be had.
    expect(bare.length).toBeLessThanOrEqual(36);
  });

  test('names no registry, and npm adds none', () => {
    expect(locked.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
    expect(read('.npmrc')).toContain('omit-lockfile-registry-resolved=true');
  });
});

describe('a path of the source tree', () => {
  const named = PAGES.filter((page) => page !== 'CHANGELOG.md').flatMap((page) =>
    [...read(page).matchAll(/`((?:pipeline|src|test|scripts|data|public)\/[\w./-]*)`/g)].map(
      (match) => [page, match[1]!] as const,
    ),
  );

  test.each(named)('that %s names, %s, is there', (_, path) => {
    expect(existsSync(join(PROJECT, path))).toBe(true);
  });
});

describe('a link', () => {
  const links = PAGES.flatMap((page) =>
    [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => [page, match[1]!] as const),
  ).filter(([, target]) => !/^https?:/.test(target));

  test.each(links)('of %s to %s leads somewhere', (page, target) => {
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page : join(dirname(page), path);
    expect(existsSync(join(PROJECT, file))).toBe(true);
    if (anchor !== undefined) expect(headingsOf(file)).toContain(anchor);
  });
});

test.each(PAGES)('%s has nothing outside of its code that Markdown would drop or make bold', (page) => {
  const words = read(page).replaceAll(/^```.*?^```|`[^`\n]*`|<!--.*?-->/gms, '');
  expect(words.match(/(?<!\w)__\w+__|(?<!\\)<[a-z]+>/g) ?? []).toEqual([]);
});

/** The anchors of a page's headings, as code hosts make them. */
function headingsOf(page: string): string[] {
  const headings = [...read(page).matchAll(/^#+ (.+)$/gm)].map((match) => match[1]!);
  return headings.map((text) =>
    text
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replace(/\s/g, '-'),
  );
}
