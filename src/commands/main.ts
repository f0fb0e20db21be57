import { once } from 'node:events';
import { isAbsolute } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { optionOf } from '../../pipeline/config/config.ts';
import { describeProxies, useProxies } from '../../pipeline/config/proxies.ts';
import { nameOfUser, ownerOf } from '../../pipeline/disk/owner.ts';
import { CathedralError, exitOf, firstError } from '../../pipeline/errors.ts';
import { readArguments } from './command.ts';
import { Progress } from './progress.ts';
import { handleSignals, stopped } from './signals.ts';
import { COMMANDS } from './table.ts';
import { understand } from './understand.ts';

/**
 * Exit status if standard output is closed before everything is printed: that of SIGPIPE. With 0, a command that verifies would
 * report success before it has read everything.
 */
let unread = 141;

const progress = new Progress(process.stderr, Date.now);

/** How long a command that has finished waits for connections that are still open before it exits, ms. */
const LEFT_OPEN_MS = 1000;

/** What the system and SQLite say of a place where this user may not write. */
const REFUSED = /\b(EACCES|EPERM|EROFS)\b|readonly database|unable to open database file/;
/** As bin/cathedral tells: SIGHUP after nohup. */
const IGNORED = (process.env.IGNORED_SIGNALS ?? '').split(' ');
/** Which option of the running command a path comes from. */
let optionFor: (path: string) => string | null = () => null;

/** What is public is readable for everyone, whoever runs this; what is not has a mode of its own wherever it is made. */
const umask = process.umask(0o022);

async function main(words: readonly string[]): Promise<number> {
  const asked = await understand(words);
  if ('text' in asked) return print(asked.text);
  const { name, args } = asked;
  reportWarnings();
  useProxies(process.env);
  const command = await COMMANDS[name]!();
  const { values, flags } = await readArguments(name, command, args);
  optionFor = (path) => optionOf(path, command.options, values);
  // A run that a service started writes to the log of that service.
  if (command.isService || process.channel) keepLog();
  const { untilStopped, end } = handleSignals(progress, IGNORED);
  const context = {
    flags,
    now: Date.now,
    wait: (ms: number) => sleep(ms),
    umask,
    progress,
    print: process.channel ? progress.note : print,
    write,
    untilStopped,
  };
  try {
    return await command.run(values as never, context);
  } finally {
    end();
  }
}

/** Warnings of Node, except that the function which strips types from the pages of snapshots is experimental. */
function reportWarnings(): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    if (name !== 'ExperimentalWarning') progress.fault(`${name}: ${message}`, 'warn');
  });
}

/** What Node itself would print becomes a line of the log, too. */
function keepLog(): void {
  if (!progress.serve()) return;
  process.on('uncaughtException', (error) => process.exit(explain(error)));
}

function print(line: string): 0 {
  process.stdout.write(`${line}\n`);
  return 0;
}

/** A reader that stops reading a long result (`| head`) has seen enough; that is no failure. */
async function write(text: string): Promise<void> {
  unread = 0;
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

/** One line for a foreseen error; a stack for any other, which is a fault in this software. */
function explain(thrown: unknown): number {
  const error = firstError(thrown);
  progress.end('failed');
  if (!(error instanceof CathedralError)) {
    progress.fault(inspect(thrown), 'fatal');
    return 1;
  }
  const way = describeProxies(error.message);
  const advice = REFUSED.test(error.message) ? adviceOnPlace(error) : way === null ? '' : `; ${way}`;
  progress.fault(`cathedral: ${error.message}${advice}`, 'error', { code: error.code });
  return exitOf(error);
}

/** To whom a place belongs, unless it is this user's, and which option chooses another one. */
function adviceOnPlace({ place, message }: CathedralError): string {
  const [, path = place] = /'(\/[^']*)'/.exec(message) ?? [];
  const { path: there, uid } = ownerOf(path);
  // A place inside a ledger or a release, `head.ndjson`, is no path from here.
  if (!isAbsolute(path) && there === process.cwd()) return '';
  const user = process.getuid?.() ?? uid;
  const option = optionFor(place);
  const other = option === null ? '' : `set another place with ${option}`;
  if (uid === user) return other && `; ${other}`;
  const runs = `${there} belongs to ${nameOfUser(uid)}, and this runs as ${nameOfUser(user)}`;
  return `; ${runs}: change its owner (chown -R)${other && ` or ${other}`}`;
}

// A service keeps running even if its messages are lost, as on a full disk.
process.stderr.on('error', () => {});
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? unread : 1));
process.exitCode = (await main(process.argv.slice(2)).catch(explain)) || stopped();
// Everything that matters has been awaited. A connection to a proxy that never answers would keep the process running for minutes. The
// empty write calls back once all output before it has been written.
setTimeout(() => process.stdout.write('', () => process.exit()), LEFT_OPEN_MS).unref();
