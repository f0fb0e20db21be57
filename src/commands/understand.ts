import { nearestName } from '../../pipeline/config/nearest-name.ts';
import { versionAndCommit } from '../../pipeline/config/software.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { formatGroup, formatHelp, formatOverview } from './help.ts';
import { COMMANDS, loadCommands } from './table.ts';

const HELP = ['--help', '-h', 'help'];

/** A text to print, or a command to run. */
export type Asked = { text: string } | { name: string; args: readonly string[] };

/** What the words after `cathedral` ask for. Throws usage for an unknown command. */
export async function understand(words: readonly string[]): Promise<Asked> {
  const help = async (of: readonly string[]) => ({ text: (await helpFor(of)).trimEnd() });
  const [first = '', ...rest] = words;
  if (['--version', '-V', 'version'].includes(first)) return { text: versionAndCommit() };
  if (HELP.includes(first)) return help(rest.filter((word) => !HELP.includes(word)));
  const { name, args } = findCommand(words);
  if (name === null || HELP.includes(args[0] ?? '') || args.some((arg) => arg === '--help' || arg === '-h'))
    return help(name?.split(' ') ?? words.filter((word) => !HELP.includes(word)));
  return { name, args };
}

interface Found {
  /** Null for a group such as `keys` without a command. */
  name: string | null;
  args: readonly string[];
}

/** `keys issue --tier …` → `keys issue` and its arguments. Throws usage for an unknown command. */
function findCommand(words: readonly string[]): Found {
  const [first = '', second = ''] = words;
  const names = Object.keys(COMMANDS);
  const group = names.filter((name) => name.startsWith(`${first} `));
  if (group.length === 0) {
    if (names.includes(first)) return { name: first, args: words.slice(1) };
    throw unknownCommand(first, [...names, ...names.map((name) => name.replace(/ .*/, ''))]);
  }
  const name = `${first} ${second}`;
  if (group.includes(name)) return { name, args: words.slice(2) };
  if (HELP.includes(second)) return { name: null, args: [] };
  throw unknownCommand(name.trim(), group);
}

function unknownCommand(name: string, names: readonly string[]): CathedralError {
  const [first = '', second] = name.split(' ');
  const group = names.some((other) => other.startsWith(`${first} `)) ? `${first} ` : '';
  const isMissing = name === '' || (group !== '' && second === undefined);
  const nearest = isMissing ? null : nearestName(name, names);
  const listed = `a command that “cathedral ${group}--help” lists`;
  const expected = nearest === null ? listed : `${nearest}, or ${listed}`;
  const found = isMissing ? 'no command' : JSON.stringify(name);
  return new CathedralError('usage', { place: 'command', expected, found });
}

/** Help for a command, for a group such as `keys`, or for everything. Throws usage for an unknown command. */
async function helpFor(words: readonly string[]): Promise<string> {
  if (words.length === 0) return formatOverview(await loadCommands());
  const group = Object.keys(COMMANDS).filter((name) => name.startsWith(`${words[0]} `));
  if (words.length === 1 && group.length > 0) return formatGroup(await loadCommands(group));
  const { name } = findCommand(words);
  return formatHelp(name!, await COMMANDS[name!]!());
}
