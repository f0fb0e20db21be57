import { closeSync, openSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import type { Config } from '../../../pipeline/config/settings.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { assertLong } from './key-file.ts';
import { readPrivate } from './read-input.ts';
import { readUnseen } from './read-unseen.ts';

export const PASSPHRASE_SETTINGS = ['attestationPassphrase', 'attestationPassphraseFile'] as const;

const TERMINAL = '/dev/tty';

/** The passphrase as it was given: by file, whose first line it is, before the variable. Null: somebody is to be asked. */
export async function givenPassphrase({
  attestationPassphraseFile: file,
  attestationPassphrase: text,
}: Pick<Config, (typeof PASSPHRASE_SETTINGS)[number]>): Promise<string | null> {
  if (file === null) return text;
  const [line = ''] = (await readPrivate(file)).split(/\r?\n/);
  if (line !== '') return line;
  const expected = 'a passphrase in the first line';
  throw new CathedralError('attestation_refused', { place: file, expected, found: 'an empty one' });
}

/** A new one, asked for twice; the second time only where the first is long enough. Throws attestation_refused, and usage. */
export async function askNewPassphrase(ask: typeof askPassphrase = askPassphrase): Promise<string> {
  const first = await ask('A new passphrase, 12 characters or more: ');
  assertLong(first);
  if ((await ask('The same again: ')) === first) return first;
  const fault = { place: 'passphrase', expected: 'the same twice', found: 'two different ones' };
  throw new CathedralError('attestation_refused', fault);
}

/** What is typed on the terminal, unseen; where standard input is a document, too. Throws usage where there is no terminal. */
export async function askPassphrase(question: string): Promise<string> {
  const terminal = openTerminal();
  try {
    process.stderr.write(question);
    return await readUnseen(terminal.setEncoding('utf8'));
  } finally {
    terminal.setRawMode(false);
    terminal.destroy();
    process.stderr.write('\n');
  }
}

function openTerminal(): ReadStream {
  let file: number | undefined;
  try {
    file = openSync(TERMINAL, 'r');
    return new ReadStream(file).setRawMode(true);
  } catch (cause) {
    if (file !== undefined) closeSync(file);
    const expected = 'a passphrase, or a terminal to ask for it on';
    throw new CathedralError('usage', { place: '--passphrase-file', expected, found: 'neither', cause });
  }
}
