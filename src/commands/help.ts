import type { Setting } from '../../pipeline/config/setting.ts';
import { SETTINGS } from '../../pipeline/config/settings.ts';
import type { Command } from './command.ts';

const WIDTH = 96;

/** `cathedral --help` */
export function formatOverview(commands: Readonly<Record<string, Command>>): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length)) + 1;
  const lines = Object.entries(commands).map(([name, { summary }]) =>
    wrap(`${name.padEnd(width)} ${summary}`, 2, width + 3),
  );
  return `Usage: cathedral <command> [flags]

Publishes an append-only ledger as verified open data.

${lines.join('\n')}

cathedral <command> --help tells a command's flags. Exit status: 0 done, 1 failed, 2 wrong use.
`;
}

/** `cathedral build --help` */
export function formatHelp(name: string, { summary, settings, words = [], needs = {} }: Command): string {
  const flags = settings.map((setting) => formatSetting(SETTINGS[setting], needs[setting]));
  const usage = [name, ...words.map((word) => SETTINGS[word].flag?.toUpperCase())].join(' ');
  return `Usage: cathedral ${usage} [flags]\n\n${wrap(summary, 0, 0)}\n\n${flags.join('\n')}`;
}

/** `need`: what stands where a default would. */
function formatSetting(setting: Setting, need?: string): string {
  const { flag, env, unit, description } = setting;
  if (flag === null) return `  ${env} (environment)\n${wrap(description, 6, 6)}\n${wrap(unit, 6, 6)}\n`;
  const value = setting.switch ? '' : ' VALUE';
  const facts = [
    setting.switch ? '' : unit,
    setting.switch ? '' : (need ?? `default: ${setting.default ?? 'none'}`),
  ];
  const line = [...facts, env ? `environment: ${env}` : ''].filter(Boolean).join('; ');
  return `  --${flag}${value}\n${wrap(description, 6, 6)}\n${line && `${wrap(line, 6, 6)}\n`}`;
}

/** Breaks at spaces; `first` and `rest` are the columns where the lines begin. */
function wrap(text: string, first: number, rest: number): string {
  const lines = [' '.repeat(first)];
  for (const word of text.match(/\s*\S+/g) ?? []) {
    const line = lines.at(-1)!;
    if (line.length + word.length <= WIDTH) lines[lines.length - 1] = line + word;
    else lines.push(' '.repeat(rest) + word.trimStart());
  }
  return lines.join('\n');
}
