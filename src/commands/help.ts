import { argumentName } from '../../pipeline/config/config.ts';
import type { Option, Setting } from '../../pipeline/config/setting.ts';
import { SETTINGS } from '../../pipeline/config/settings.ts';
import type { Command } from './command.ts';
import { TASKS } from './table.ts';

/** Of a terminal, in characters. */
const WIDTH = 80;

/** Six commands verify something; this says which one to use. */
const WHAT_TO_VERIFY: readonly (readonly [what: string, command: string])[] = [
  ['your own published folder, against its signatures or the ledger', 'check'],
  ['a service, a copy, a file, an audited export or a proof, as a reader', 'verify'],
  ['a public history, or a row of it, against the log', 'prove'],
  ['the access log', 'access-log verify'],
  ['a Companion Attestation', 'attest verify'],
  ["an applicant's e-mail address", 'keys verify-email'],
];

export const EXIT_STATUS =
  'Exit status: 0 done; 1 the work failed or found something; 2 wrong use: a command, a flag, or a setting or the file that it names (`attest verify`: also a document that cannot be read); 3 nothing was found wrong, but something cannot be checked (`prove`); 4 a service or a mirror could not be reached, or did not answer in time, and nothing was found wrong (`verify`, `mirror`, `fetch`, `prove`); 141 the reader of standard output left early; 129, 130 and 143 after SIGHUP, SIGINT and SIGTERM. Results go to standard output; progress and errors go to standard error. With --json the result is one JSON document; after an error, standard output has none.';

/** `cathedral --help` */
export function formatOverview(commands: Readonly<Record<string, Command>>): string {
  const tasks = Object.entries(TASKS).map(([task, loads]) =>
    [`${task}:`, ...summaries(commands, Object.keys(loads))].join('\n'),
  );
  const verifying = WHAT_TO_VERIFY.map(([what, command]) => listed(command, what));
  return `Usage: cathedral COMMAND [FLAGS]

Publishes an append-only ledger as verified open data.

${tasks.join('\n\n')}
${listed('help [COMMAND]', 'Prints this overview, or the flags of a command, like COMMAND --help and -h.')}
${listed('version', 'Prints the version and the commit, like --version and -V.')}

Which command verifies what:
${verifying.join('\n')}

${wrap(EXIT_STATUS, 0, 0)}
`;
}

/** `cathedral keys --help` */
export function formatGroup(commands: Readonly<Record<string, Command>>): string {
  const names = Object.keys(commands);
  const [group] = names[0]!.split(' ');
  return `Usage: cathedral ${group} COMMAND [FLAGS]

${summaries(commands, names).join('\n')}

cathedral help ${names[0]} prints the flags of a command.
`;
}

function summaries(commands: Readonly<Record<string, Command>>, names: readonly string[]): string[] {
  return names.map((name) => listed(name, commands[name]!.summary));
}

/** A line of a list, with what follows it below its beginning. */
function listed(name: string, words: string): string {
  return wrap(`${name.padEnd(26)} ${words}`, 2, 29);
}

/** `cathedral build --help` */
export function formatHelp(name: string, command: Command): string {
  const { summary, details, examples } = command;
  const sections = sectionsOf(command).map(([title, options]) =>
    [`${title}:`, ...options.map((option) => formatOption(option, command))].join('\n'),
  );
  return [
    `${wrap(`Usage: cathedral ${usageOf(name, command)}`, 0, 4)}\n`,
    `${wrap(summary, 0, 0)}\n`,
    ...(details === undefined ? [] : [`${paragraphs(details)}\n`]),
    ['Examples:', ...examples.map((example) => wrapCommand(example))].join('\n'),
    '',
    sections.join('\n'),
  ].join('\n');
}

/** `keys revoke --reason REASON [FLAGS]` */
export function usageOf(name: string, { options, positionals }: Command): string {
  const needed = Object.entries(options).filter(
    ([key, { required, flag }]) => required === true && flag !== null && !positionals.includes(key),
  );
  return [
    name,
    ...positionals.map((key) => {
      const name = `${argumentName(options[key]!)}${options[key]!.many ? '…' : ''}`;
      return options[key]!.required ? name : `[${name}]`;
    }),
    ...needed.map(([, option]) => withValue(option)),
    '[FLAGS]',
  ].join(' ');
}

/** Options under their headings: what is required, then the command's own flags, then settings by group. */
function sectionsOf({ options, positionals }: Command): [title: string, Option[]][] {
  const sections = new Map<string, Option[]>([
    ['Arguments', []],
    ['Required', []],
    ['Flags', []],
  ]);
  for (const [name, option] of Object.entries(options)) {
    const title = positionals.includes(name)
      ? 'Arguments'
      : option.required === true
        ? 'Required'
        : isSetting(option)
          ? option.group
          : 'Flags';
    sections.set(title, [...(sections.get(title) ?? []), option]);
  }
  const groups = Object.values(SETTINGS).map(({ group }) => group as string);
  const order = ['Arguments', 'Required', 'Flags', ...new Set(groups)];
  return [...sections]
    .filter(([, members]) => members.length > 0)
    .sort(([one], [other]) => order.indexOf(one) - order.indexOf(other));
}

const VALUE_NAMES: readonly (readonly [unit: RegExp, name: string])[] = [
  [/^seconds/, 'SECONDS'],
  [/^milliseconds/, 'MS'],
  [/^days/, 'DAYS'],
  [/^MiB/, 'MIB'],
  [/^(a (whole )?number|requests)/, 'N'],
  [/^http/, 'URL'],
  [/^a (JSON )?file/, 'FILE'],
  [/^a folder/, 'FOLDER'],
  [/^name=value/, 'NAME=VALUE'],
  [/^a (UTC )?date|^a snapshot like/, 'TIME'],
  [/^(the id|the UUID|a UUID|8 hex digits)/, 'ID'],
  [/^s3\+/, 'BUCKET'],
  [/^free text/, 'TEXT'],
  [/^(the )?path/, 'PATH'],
];

/** `--wait SECONDS`, `--out FOLDER`, `--tier TIER`, `--rebuild` */
export function withValue({ flag, unit, switch: isSwitch }: Option): string {
  if (isSwitch) return `--${flag}`;
  const [, name] = VALUE_NAMES.find(([pattern]) => pattern.test(unit)) ?? [];
  return `--${flag} ${name ?? `${flag}`.replace(/^.*-/, '').toUpperCase()}`;
}

export function isSetting(option: Option): option is Setting {
  return 'group' in option;
}

function formatOption(option: Option, { positionals, options }: Command): string {
  const { flag, env, description } = option;
  const isArgument = positionals.some((name) => options[name] === option);
  const head =
    flag === null
      ? `${env} (environment variable)`
      : isArgument
        ? `${argumentName(option)} (or ${withValue(option)})`
        : withValue(option);
  const facts = factsOf(option, flag !== null);
  return `  ${head}\n${wrap(description, 6, 6)}\n${facts && `${wrap(facts, 6, 6)}\n`}`;
}

/** `days, 0 to 3650; default: 30; environment: …` */
function factsOf(option: Option, withEnv: boolean): string {
  const { unit, env } = option;
  const value = option.switch ? [] : [unit, needOf(option) ?? `default: ${option.default ?? 'none'}`];
  return [...value, ...(env && withEnv ? [`environment: ${env}`] : [])].join('; ');
}

/** `required`, `required unless --draft contains it`; undefined for an option that may be missing. */
export function needOf({ required }: Option): string | undefined {
  return required === true ? 'required' : required && `required ${required}`;
}

/** Breaks at spaces; `first` and `rest` are the columns where the lines start. */
function wrap(text: string, first: number, rest: number): string {
  const lines = [' '.repeat(first)];
  for (const word of text.match(/\s*\S+/g) ?? []) {
    const line = lines.at(-1)!;
    if (line.length + word.length <= WIDTH) lines[lines.length - 1] = line + word;
    else lines.push(' '.repeat(rest) + word.trimStart());
  }
  return lines.join('\n');
}

function paragraphs(text: string): string {
  return text
    .split('\n\n')
    .map((paragraph) => wrap(paragraph, 0, 0))
    .join('\n\n');
}

/** A flag with its value, or an argument; what is in quotes is one. */
const WORDS = /(?:--\S+ (?!--|>)|> )?(?:"[^"]*"|'[^']*'|\S+)/g;

/** A command line that can still be copied where it is broken. */
function wrapCommand(text: string): string {
  const lines = ['  '];
  for (const [word] of text.matchAll(WORDS)) {
    const line = lines.at(-1)!;
    const joined = line.trim() === '' ? `${line}${word}` : `${line} ${word}`;
    if (joined.length + 2 <= WIDTH) lines[lines.length - 1] = joined;
    else lines.push(`    ${word}`);
  }
  return lines.join(' \\\n');
}
