import { markdownCell } from '../../pipeline/artifacts/data-dictionary.ts';
import type { Option, Setting } from '../../pipeline/config/setting.ts';
import { SETTINGS } from '../../pipeline/config/settings.ts';
import { type Command, json } from './command.ts';
import { EXIT_STATUS, isSetting, needOf, usageOf, withValue } from './help.ts';
import { TASKS } from './table.ts';

/** docs/cli.md: every command with its flags, and every setting. */
export function formatReference(commands: Readonly<Record<string, Command>>): string {
  const tasks = Object.entries(TASKS).flatMap(([task, loads]) => [
    `## ${task}`,
    ...Object.keys(loads).flatMap((name) => describeCommand(name, commands[name]!)),
  ]);
  return `${[
    '# Command line',
    'This page is generated from the commands themselves: `npm run dictionary` writes it.',
    'In a checkout, run a command as `npm run cathedral -- COMMAND`. Where the package is [installed](operations.md#installation), run `cathedral COMMAND`. `cathedral help` prints an overview; `cathedral help COMMAND`, `COMMAND --help` and `COMMAND -h` print the help of a command; `cathedral version`, `--version` and `-V` print the version and the commit. [Verify](verification.md) says which command verifies what.',
    EXIT_STATUS,
    'A flag overrides its environment variable, which overrides the default. Unknown flags, unknown `CATHEDRAL_` variables and empty values are errors, and so is a path with quotes or a line end around it or with `~`, which only a shell replaces. Other paths are relative to the working directory. Default paths below `var/` are relative to the working directory as well, other default paths to the folder of the software.',
    ...tasks,
    '## Settings',
    'Commands share these. Each command lists those it takes; `--json` prints its result as one JSON document. `{port}` and `{baseUrl}` stand for the values of those settings. `npm start` honours them too: `PORT=9000 npm start`.',
    settingsTable(),
  ].join('\n\n')}\n`;
}

function describeCommand(name: string, command: Command): string[] {
  const { summary, details, examples, options } = command;
  const asJson = Object.values(options).filter(({ description }) => description === json.description);
  const settings = Object.values(options).filter(isSetting);
  const own = Object.values(options).filter((option) => !isSetting(option) && !asJson.includes(option));
  const shared = [
    ...asJson.map((option) => `\`${nameOf(option)}\``),
    ...settings.map((setting) => `\`${nameOf(setting)}\`${note(setting)}`),
  ];
  return [
    `### ${name}`,
    details === undefined ? summary : `${summary} ${details}`,
    ['```sh', `cathedral ${usageOf(name, command)}`, ...examples, '```'].join('\n'),
    ...(own.length === 0 ? [] : [flagsTable(own)]),
    ...(shared.length === 0 ? [] : [`[Settings](#settings): ${shared.join(', ')}.`]),
  ];
}

function nameOf({ flag, env }: Option): string {
  return flag === null ? `${env}` : `--${flag}`;
}

/** Where a command takes a setting otherwise than the table says. */
function note(option: Option): string {
  const need = needOf(option);
  if (need !== undefined) return ` (${need})`;
  const common = Object.values(SETTINGS).find(({ env }) => env === option.env);
  return common?.default !== option.default ? ' (without its default)' : '';
}

function flagsTable(options: readonly Option[]): string {
  const rows = options.map((option) => {
    const { unit, default: value, description } = option;
    const isDefault = `default: ${value === null ? 'none' : `\`${value}\``}`;
    const facts = option.switch ? '' : `${unit}; ${needOf(option) ?? isDefault}`;
    return `| \`${withValue(option)}\` | ${markdownCell(description)} | ${markdownCell(facts)} |`;
  });
  return ['| flag | what it does | value |', '|---|---|---|', ...rows].join('\n');
}

/** All settings under the headings that `--help` has. */
function settingsTable(): string {
  const groups = new Map<string, string[]>();
  for (const setting of Object.values(SETTINGS) as Setting[]) {
    const { flag, env, unit, description, default: value, group } = setting;
    const cells = [
      flag && `\`--${flag}\``,
      `\`${env}\``,
      value && `\`${value}\``,
      markdownCell(unit),
      markdownCell(description),
    ];
    const row = `| ${cells.map((text) => text ?? '').join(' | ')} |`;
    groups.set(group, [...(groups.get(group) ?? []), row]);
  }
  const head = ['| flag | environment variable | default | value | what it does |', '|---|---|---|---|---|'];
  return [...groups].map(([group, rows]) => [`### ${group}`, '', ...head, ...rows].join('\n')).join('\n\n');
}
