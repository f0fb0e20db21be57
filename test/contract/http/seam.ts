import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../../../pipeline/config/config.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { readArguments } from '../../../src/commands/command.ts';
import { Progress } from '../../../src/commands/progress.ts';
import { COMMANDS } from '../../../src/commands/table.ts';
import { runHere } from '../commands/seam.ts';

/** A command in this process, by any clock. Rejects with what it printed if it fails. */
export async function command(
  words: string,
  args: readonly string[],
  now: () => number = Date.now,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { status, stdout, stderr } = await runHere(words, args, { now, env });
  if (status !== 0) throw new Error(`cathedral ${words} exited with ${status}: ${stderr}`);
  return stdout;
}

export interface OpenServer {
  /** `http://127.0.0.1:40123` */
  url: string;
  close: () => Promise<void>;
}

/** `cathedral serve` in this process, on a free port. */
export async function openServer(args: readonly string[], env: Environment = {}): Promise<OpenServer> {
  const command = await COMMANDS.serve!();
  const { values, flags } = await readArguments(
    'serve',
    command,
    [...args, '--host', '127.0.0.1', '--port', '0'],
    env,
  );
  const stop = new AbortController();
  const { promise: url, resolve, reject } = Promise.withResolvers<string>();
  const ended = command
    .run(values as never, {
      flags,
      now: Date.now,
      wait: (ms) => sleep(ms),
      umask: 0o022,
      progress: new Progress({ isTTY: true, write: () => true }, Date.now),
      print: (line) => resolve(/http:\S+/.exec(line)![0]),
      write: async () => {},
      untilStopped: () => stop.signal,
    })
    .catch((error: unknown) => reject(error instanceof CathedralError ? new Error(error.message) : error));
  return {
    url: await url,
    close: async () => {
      stop.abort();
      await ended;
    },
  };
}
