import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { expect } from 'vitest';
import { runWords } from './seam.ts';

/*
 * A session is a text, like what a terminal shows: lines that ask, each followed by what was answered.
 *
 *   # a comment
 *   @clock TIME             what time it is from here on, for commands in this process; `now` is the machine's
 *   @env NAME=VALUE         a variable of the environment from here on; `@env NAME` removes it
 *   @file PATH              a file, whose lines follow, each after "| "
 *   @sh SCRIPT              something that a user does between two commands
 *   @keep NAME PATTERN      {NAME} is from here on what the group of PATTERN found in the last answer
 *   @mask NAME PATTERN      what differs from run to run, and is {NAME} in answers from here on
 *   @omit PATTERN           lines that answers are without from here on, because their number differs
 *   @start WORDS            a command that runs until `@stop`; {url} is the address that it prints
 *   @stop                   stops it in order; its answer follows
 *   $ cathedral WORDS       a command in this process, with variables before it as in a shell
 *   % SCRIPT                the real binary, in a shell
 *   + WORDS                 `cathedral ledger append WORDS` to a new ledger, and the events that it then has
 *
 * Of the answer, lines of standard output are indented, those of standard error begin with "! ", and "= N" is the exit status, unless
 * it is 0. A session has a folder of its own, which is also its working directory and {dir} in answers.
 */

const PROJECT = resolve(import.meta.dirname, '../../..');
const ANSWER = /^( {2}|! |= |!$|= $)/;

interface Step {
  /** The line that asks, without what was answered; or a comment or an empty line. */
  line: string;
  /** The content of a file. */
  content: string[];
  answer: string[];
}

function parseSession(text: string): Step[] {
  const steps: Step[] = [];
  for (const line of text.replace(/\n$/, '').split('\n')) {
    const last = steps.at(-1);
    if (last && ANSWER.test(line)) last.answer.push(line);
    else if (last && /^\|( |$)/.test(line)) last.content.push(line);
    else steps.push({ line, content: [], answer: [] });
  }
  return steps;
}

/** How many commands a session has. */
export function countCommands(text: string): number {
  return parseSession(text).filter(({ line }) => /^[$%+] |^@start /.test(line)).length;
}

/** Runs a session and compares it with its text; where GOLDEN says so, writes what was answered instead. */
export async function checkSession(path: string, directives: Directives = {}): Promise<void> {
  const expected = readFileSync(path, 'utf8');
  const actual = await runSession(parseSession(expected), directives);
  if (process.env.GOLDEN === 'write') writeFileSync(path, actual);
  else expect(actual).toBe(expected);
}

interface Answer {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** Further words that begin with `@`, each with what it does: it gets the text behind it and the lines of content that follow. */
export type Directives = Readonly<
  Record<string, (text: string, content: readonly string[]) => Promise<Record<string, string> | undefined>>
>;

async function runSession(steps: readonly Step[], directives: Directives): Promise<string> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'cathedral-session-'));
  const before = process.cwd();
  process.chdir(folder);
  try {
    const session = new Session(folder, directives);
    const lines: string[] = [];
    for (const { line, content } of steps) {
      lines.push(line, ...content, ...(await session.take(line, content)));
    }
    session.assertStopped();
    return `${lines.join('\n')}\n`;
  } finally {
    process.chdir(before);
    rmSync(folder, { recursive: true, force: true });
  }
}

class Session {
  readonly #folder: string;
  #clock: number | null = null;
  readonly #env: Record<string, string> = {};
  readonly #kept = new Map<string, string>();
  readonly #masks: [name: string, pattern: RegExp][] = [];
  readonly #omitted: RegExp[] = [];
  #last = '';
  #running: { controller: AbortController; answer: Promise<Answer> } | null = null;

  readonly #directives: Directives;

  constructor(folder: string, directives: Directives) {
    this.#directives = directives;
    this.#folder = folder;
    this.#kept.set('dir', folder);
    this.#kept.set('project', PROJECT);
  }

  /** The lines of the answer. */
  async take(line: string, content: readonly string[]): Promise<string[]> {
    // A test that took too long has ended, and others go on in this process.
    if (process.cwd() !== this.#folder) throw new Error('the session is in another folder');
    const [word = '', ...rest] = line.split(' ');
    const asked = this.#filled(rest.join(' '));
    switch (word) {
      case '@clock':
        this.#clock = asked === 'now' ? null : Date.parse(asked);
        return [];
      case '@env':
        this.#setVariable(asked);
        return [];
      case '@file':
        mkdirSync(dirname(resolve(asked)), { recursive: true });
        writeFileSync(asked, content.map((text) => `${this.#filled(text.slice(2))}\n`).join(''));
        return [];
      case '@keep':
        this.#keep(rest[0]!, new RegExp(rest.slice(1).join(' '), 'm'));
        return [];
      case '@mask':
        this.#masks.push([rest[0]!, new RegExp(rest.slice(1).join(' '), 'gm')]);
        return [];
      case '@omit':
        this.#omitted.push(new RegExp(rest.join(' ')));
        return [];
      case '@sh':
        return this.#sh(asked);
      case '@start':
        return this.#start(asked);
      case '@stop':
        return this.#stop();
      case '$':
        return this.#answered(await this.#here(asked));
      case '+':
        return this.#answered(await this.#appended(asked));
      case '%':
        return this.#answered(await this.#shell(asked));
      default:
        if (this.#directives[word]) {
          const values = await this.#directives[word](
            asked,
            content.map((text) => text.slice(2)),
          );
          for (const [name, value] of Object.entries(values ?? {})) this.#kept.set(name, value);
          return [];
        }
        if (line !== '' && !line.startsWith('#')) throw new Error(`what is this line of a session? ${line}`);
        return [];
    }
  }

  assertStopped(): void {
    if (this.#running) throw new Error('a command that was started was not stopped');
  }

  #setVariable(text: string): void {
    const [name = '', ...value] = text.split('=');
    if (value.length === 0) delete this.#env[name];
    else this.#env[name] = value.join('=');
  }

  #keep(name: string, pattern: RegExp): void {
    const found = pattern.exec(this.#last)?.[1];
    if (found === undefined) throw new Error(`${pattern} is not in the last answer: ${this.#last}`);
    this.#kept.set(name, found);
  }

  #filled(text: string): string {
    return text.replace(/\{(\w+)\}/g, (whole, name) => this.#kept.get(name) ?? whole);
  }

  async #sh(script: string): Promise<string[]> {
    const { status, stdout, stderr } = await this.#shell(script);
    if (status !== 0) throw new Error(`${script}: ${stdout}${stderr}`);
    return [];
  }

  #here(line: string, stop?: AbortSignal, printed?: (text: string) => void): Promise<Answer> {
    const words = splitWords(line);
    const at = words.indexOf('cathedral');
    const variables = words.slice(0, at).map((word) => word.split(/=(.*)/s).slice(0, 2) as [string, string]);
    const env = { ...this.#env, ...Object.fromEntries(variables) };
    const clock = this.#clock;
    return runWords(words.slice(at + 1), env, {
      isTTY: false,
      ...(clock !== null && { now: () => clock }),
      ...(stop && { stop }),
      ...(printed && { printed }),
    });
  }

  /** Everything that is not the same each time, the salts, is left out. */
  async #appended(words: string): Promise<Answer> {
    for (const suffix of ['', '.key', '.vkey'])
      rmSync(join(this.#folder, `ledger${suffix}`), { recursive: true, force: true });
    await this.#here('cathedral ledger init ledger --origin ledger.example.org --from 2020-01-01T00:00:00Z');
    const { status, stderr } = await this.#here(`cathedral ledger append ${words} --ledger ledger`);
    const told = stderr.replace(/^.* (appending to|folding|checking) .*\n/gm, '');
    const { stdout } = await this.#here('cathedral ledger show ledger --seq 1- --raw');
    return { status, stdout: stdout.replace(/,"salt":"[^"]*"/g, ''), stderr: told };
  }

  async #shell(script: string): Promise<Answer> {
    const { PATH = '', TZ = '' } = process.env;
    const env = { PATH: join(PROJECT, 'bin') + delimiter + PATH, TZ, HOME: this.#folder, ...this.#env };
    const child = spawn('bash', ['-c', script], {
      cwd: this.#folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr, status] = await Promise.all([
      child.stdout.setEncoding('utf8').toArray(),
      child.stderr.setEncoding('utf8').toArray(),
      new Promise<number | null>((ended) => child.on('close', ended)),
    ]);
    return { status, stdout: stdout.join(''), stderr: stderr.join('') };
  }

  async #start(line: string): Promise<string[]> {
    const controller = new AbortController();
    const answer = Promise.withResolvers<void>();
    let text = '';
    const running = this.#here(line, controller.signal, (printed) => {
      text += printed;
      if (/https?:\/\/\S+:\d+/.test(text)) answer.resolve();
    });
    await Promise.race([answer.promise, running]);
    const url = /https?:\/\/\S+:\d+/.exec(text)?.[0];
    if (url === undefined) return this.#answered(await running);
    this.#kept.set('url', url);
    this.#running = { controller, answer: running };
    return [];
  }

  async #stop(): Promise<string[]> {
    const { controller, answer } = this.#running!;
    this.#running = null;
    controller.abort();
    return this.#answered(await answer);
  }

  #answered({ status, stdout, stderr }: Answer): string[] {
    this.#last = stdout + stderr;
    const lines = (text: string, before: string) => {
      const all = text === '' ? [] : this.#masked(text.replace(/\n$/, '')).split('\n');
      return all
        .filter((line) => !this.#omitted.some((pattern) => pattern.test(line)))
        .map((line) => before + line);
    };
    // Without its end, the last line is another answer.
    const isCut = stdout !== '' && !stdout.endsWith('\n') ? ['= without the end of a line'] : [];
    return [
      ...lines(stdout, '  '),
      ...isCut,
      ...lines(stderr, '! '),
      ...(status === 0 ? [] : [`= ${status}`]),
    ].map((line) => (line === '! ' ? '!' : line));
  }

  #masked(text: string): string {
    let masked = text;
    for (const [name, value] of [...this.#kept].toSorted(([, a], [, b]) => b.length - a.length))
      masked = masked.replaceAll(value, `{${name}}`);
    for (const [name, pattern] of this.#masks) masked = masked.replace(pattern, `{${name}}`);
    // A control character would be invisible in the text.
    return masked.replace(/[^\P{Cc}\n]/gu, (character) => `<${character.codePointAt(0)!.toString(16)}>`);
  }
}

/** As a shell splits a line: by spaces, except in single and double quotes. */
function splitWords(line: string): string[] {
  const words = line.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? [];
  return words.map((word) => word.replace(/'([^']*)'|"([^"]*)"/g, (_, one, two) => one ?? two));
}
