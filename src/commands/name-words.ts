import { SETTINGS } from '../../pipeline/config/settings.ts';
import type { Command } from './command.ts';

/** `prove 0x12… --json` → `prove --event=0x12… --json`: the first words of a command, as the settings that they are of. */
export function nameWords({ words = [] }: Pick<Command, 'words'>, args: readonly string[]): string[] {
  const isWord = (arg: string | undefined) => arg !== undefined && (arg === '-' || !arg.startsWith('-'));
  const given = words.filter((_, index) => args.slice(0, index + 1).every(isWord)).slice(0, args.length);
  const named = given.map((name, index) => `--${SETTINGS[name].flag}=${args[index]}`);
  return [...named, ...args.slice(given.length)];
}
