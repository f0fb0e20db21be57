import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runWords } from './commands/seam.ts';
import { checkSession, countCommands } from './commands/session.ts';

/** A session is one test, of many commands. */
const PATIENCE = 600_000;
const FOLDER = join(import.meta.dirname, 'commands');
const SESSIONS = readdirSync(FOLDER).filter((name) => name.endsWith('.session.txt'));

test.each(SESSIONS)('%s', (name) => checkSession(join(FOLDER, name)), PATIENCE);

test('the sessions have some hundreds of commands', () => {
  const counts = SESSIONS.map((name) => countCommands(readFileSync(join(FOLDER, name), 'utf8')));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(250);
});

/** The list is the contract's own: a command or an option that goes is seen here, and so is a default that changes. */
test('each command has the options of the list, and `help` names them', async () => {
  const path = join(FOLDER, 'options.txt');
  const expected = readFileSync(path, 'utf8');
  const { stdout: overview } = await runWords(['help']);
  const commands = [
    ...overview
      .split('\n\nWhich command')[0]!
      .matchAll(/^ {2}([a-z]+(?:-[a-z]+)*(?: [a-z]+(?:-[a-z]+)*)?)(?: {2,}|$)/gm),
  ].filter(([, name]) => name !== 'version');
  const defaults = new Map<string, string>();
  const lines: string[] = [];
  for (const [, command] of commands) {
    const { status, stdout } = await runWords(['help', ...command!.split(' ')]);
    expect(status).toBe(0);
    const options = optionsIn(stdout);
    lines.push(wrapped([`${command}:`, ...options.map(({ name }) => name).toSorted()]));
    for (const { name, rest } of options) {
      const [, variable] = /environment: ([A-Z_]+)/.exec(rest) ?? [];
      const isVariable = name === name.toUpperCase();
      const [, value = 'none'] = /default: (\S+?)(?:;|$)/.exec(rest) ?? [];
      if (variable || isVariable)
        defaults.set(name, `${name} ${variable ?? ''} = ${value}`.replace('  ', ' '));
    }
  }
  const settings = [...defaults.values()].toSorted();
  const actual = `${EXPLANATION}\n${lines.join('\n')}\n\n${settings.join('\n')}\n`;
  if (process.env.GOLDEN === 'write') writeFileSync(path, actual);
  else expect(actual).toBe(expected);
});

const EXPLANATION = `# Each command with its flags, and the variables of the environment that have no flag.
# Then each setting, with its variable and its default; a command may leave the default out.
`;

interface Told {
  name: string;
  rest: string;
}

/** What the help of a command says of its options. */
function optionsIn(help: string): Told[] {
  const told: Told[] = [];
  for (const line of help.split('\n')) {
    const [, name] = /^ {2}(?:[A-Z]+(?:…)? \(or )?(--[a-z-]+|[A-Z_]{4,}(?= \(environment))/.exec(line) ?? [];
    if (name) told.push({ name, rest: '' });
    else if (line.startsWith('      ') && told.length > 0) told.at(-1)!.rest += ` ${line.trim()}`;
  }
  return told;
}

function wrapped(words: readonly string[]): string {
  const lines = [''];
  for (const word of words) {
    if (`${lines.at(-1)} ${word}`.length > 118) lines.push(' ');
    lines[lines.length - 1] += lines.at(-1) === '' ? word : ` ${word}`;
  }
  return lines.join('\n');
}
