#!/usr/bin/env node
import { nearestName } from '../pipeline/config/nearest-name.ts';
import { readConfig } from '../pipeline/config.ts';
import { CathedralError } from '../pipeline/errors.ts';
import { formatHelp, formatOverview } from './commands/help.ts';
import { Progress } from './commands/progress.ts';
import { VERSION } from './commands/software.ts';
import { COMMANDS } from './commands/table.ts';

/** Exit status of a process that a signal ended, as shells say it: 128 and the signal's number. */
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

const progress = new Progress(process.stderr, Date.now);

async function main([name = '', ...args]: string[]): Promise<number> {
  if (name === '--version') return print(VERSION);
  if (name === '--help' || name === 'help') return print(formatOverview(COMMANDS).trimEnd());
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name]! : unknownCommand(name);
  if (args.includes('--help')) return print(formatHelp(name, command).trimEnd());
  const config = readConfig(command.settings, args);
  return command.run(config, { args, now: Date.now, progress, print, untilStopped: handleSignals() });
}

function unknownCommand(name: string): never {
  const nearest = nearestName(name, Object.keys(COMMANDS));
  const expected = nearest ? `perhaps ${nearest}` : `one of ${Object.keys(COMMANDS).join(', ')}, or --help`;
  const found = name === '' ? 'nothing' : JSON.stringify(name);
  throw new CathedralError('usage', { place: 'command', expected, found });
}

/** A second signal ends any command at once. */
function handleSignals(): () => AbortSignal {
  const controller = new AbortController();
  let endsInOrder = false;
  const stop = (how: string, status: number) => {
    if (endsInOrder && !controller.signal.aborted) return controller.abort();
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

/** One line for what can go wrong; a stack for what cannot, which is a fault in this software. */
function explain(error: unknown): number {
  progress.end('failed');
  const known = error instanceof CathedralError;
  console.error(known ? `cathedral: ${error.message}` : error);
  return known ? error.exit : 1;
}

process.exitCode = await main(process.argv.slice(2)).catch(explain);
