import { once } from 'node:events';
import { inspect } from 'node:util';
import { printable } from '../../pipeline/attestation/printable.ts';
import { readConfig, settingOf } from '../../pipeline/config/config.ts';
import { nearestName } from '../../pipeline/config/nearest-name.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { findCommand } from './find-command.ts';
import { formatHelp, formatOverview } from './help.ts';
import { nameWords } from './name-words.ts';
import { Progress } from './progress.ts';
import { VERSION } from './software.ts';
import { COMMANDS, loadCommands } from './table.ts';

/** Exit status of a process that a signal ended, as shells say it: 128 and the signal's number. */
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Exit status where standard output is closed before everything is printed: SIGPIPE's, and not 0, by which a command that verifies
 * would say that all is well before it has looked at all of it.
 */
let unread = 141;

/** Exit status of a service that ended in order. Not 0 after SIGHUP: nobody asked it to end, so whatever restarts what failed has to. */
let inOrder = 0;

const progress = new Progress(process.stderr, Date.now);

/** The system's codes for a place where this user may not write. */
const REFUSED = /\b(EACCES|EPERM|EROFS)\b/;
/** The setting that a path comes from, of the command that runs. */
let settingFor: (path: string) => string | null = () => null;

async function main(words: string[]): Promise<number> {
  if (words[0] === '--version') return print(VERSION);
  if (words[0] === '--help' || words[0] === 'help')
    return print(formatOverview(await loadCommands()).trimEnd());
  const { name, args, group } = findCommand(words, Object.keys(COMMANDS));
  if (name === null && group.length > 0 && ['--help', 'help'].includes(args[0] ?? ''))
    return print(formatOverview(await loadCommands(group)).trimEnd());
  const command = name === null ? unknownCommand(words, group) : await COMMANDS[name]!();
  if (args.includes('--help')) return print(formatHelp(name!, command).trimEnd());
  const flags = nameWords(command, args);
  const config = readConfig(command.settings, flags);
  settingFor = (path) => settingOf(path, command.settings, config);
  // A run that a service started writes to the log of that.
  if (command.isService || process.channel) keepLog();
  const context = { args: flags, now: Date.now, progress, print, write, untilStopped: handleSignals() };
  return command.run(config, context);
}

/** What Node would write by itself is a line of the log, too. */
function keepLog(): void {
  if (!progress.serve()) return;
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => progress.fault(`${name}: ${message}`, 'warn'));
  process.on('uncaughtException', (error) => process.exit(explain(error)));
}

/** `group`: the commands that begin with the first word, where that is none by itself. */
function unknownCommand(words: readonly string[], group: readonly string[]): never {
  const names = group.length > 0 ? group : Object.keys(COMMANDS);
  const name = words.slice(0, group.length > 0 ? 2 : 1).join(' ');
  const nearest = nearestName(name, names);
  const expected = nearest ? `perhaps ${nearest}` : `one of ${names.join(', ')}, or --help`;
  const found = name === '' ? 'nothing' : JSON.stringify(name);
  throw new CathedralError('usage', { place: 'command', expected, found });
}

/** A second signal ends any command at once. */
function handleSignals(): () => AbortSignal {
  const controller = new AbortController();
  let endsInOrder = false;
  const stop = (how: string, status: number) => {
    if (endsInOrder && !controller.signal.aborted) {
      if (how === 'SIGHUP') inOrder = status;
      return controller.abort();
    }
    progress.end('stopped');
    progress.note(`Stopped by ${how}; what was published is untouched.`);
    process.exit(status);
  };
  for (const [signal, status] of Object.entries(SIGNALS)) process.on(signal, () => stop(signal, status));
  // Started by `cathedral start`, which is gone: nobody would ever stop this process.
  process.on('disconnect', () => stop('the end of its service', SIGNALS.SIGHUP));
  process.channel?.unref();
  return () => {
    endsInOrder = true;
    return controller.signal;
  };
}

function print(line: string): 0 {
  process.stdout.write(`${line}\n`);
  return 0;
}

/** A reader that takes no more of a long result (`| head`) has seen enough, which is no failure. */
async function write(text: string): Promise<void> {
  unread = 0;
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

/** One line for what can go wrong; a stack for what cannot, which is a fault in this software. */
function explain(error: unknown): number {
  progress.end('failed');
  if (!(error instanceof CathedralError)) {
    progress.fault(inspect(error), 'fatal');
    return 1;
  }
  const setting = REFUSED.test(error.message) ? settingFor(error.place) : null;
  const where = setting === null ? '' : `; another place is set by ${setting}`;
  progress.fault(`cathedral: ${plain(error.message)}${where}`, 'error', { code: error.code });
  return error.exit;
}

/** What was found may come from anywhere, and is not to write on the terminal for itself. Lines stay lines. */
function plain(message: string): string {
  return message.split('\n').map(printable).join('\n');
}

// What a service says of its progress may be lost, as on a full disk; the service is not.
process.stderr.on('error', () => {});
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? unread : 1));
process.exitCode = (await main(process.argv.slice(2)).catch(explain)) || inOrder;
