import { closeSync, openSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import { readPrivate } from '../../pipeline/artifacts/read-document.ts';
import { assertLong } from '../../pipeline/attestation/key-file.ts';
import type { Config } from '../../pipeline/config/settings.ts';
import { CathedralError } from '../../pipeline/errors.ts';

const TERMINAL = '/dev/tty';

/** The first line of the file, or else the variable; null if neither is given, so that the user has to be asked. */
export async function givenPassphrase({
  attestationPassphraseFile: file,
  attestationPassphrase: text,
}: Pick<Config, 'attestationPassphrase' | 'attestationPassphraseFile'>): Promise<string | null> {
  if (file === null) return text;
  const [line = ''] = (await readPrivate(file)).split(/\r?\n/);
  if (line !== '') return line;
  const expected = 'a passphrase in the first line';
  throw new CathedralError('attestation_refused', { place: file, expected, found: 'an empty line' });
}

/** Asks for a new passphrase twice, the second time only if the first is long enough. Throws attestation_refused and usage. */
export async function askNewPassphrase(ask: typeof askPassphrase = askPassphrase): Promise<string> {
  const first = await ask('New passphrase, 12 characters or more: ');
  assertLong(first);
  if ((await ask('Repeat the passphrase: ')) === first) return first;
  const fault = { place: 'passphrase', expected: 'the same text twice', found: 'two different ones' };
  throw new CathedralError('attestation_refused', fault);
}

/**
 * Asks on the terminal, without showing what is typed; standard input may be a document. Throws usage if there is no
 * terminal.
 */
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

const [ENTER, LINE_FEED, INTERRUPT, END, BACKSPACE, DELETE] = ['\r', '\n', '\x03', '\x04', '\b', '\x7f'];
/** Ctrl-U, which clears the line. */
const CLEAR = '\x15';
/** An arrow key sends several of these. A tab may come from a password manager. */
const CONTROL = /[^\P{Cc}\t]/u;

/**
 * The line typed on a terminal in raw mode, which passes every key on. Throws usage for Ctrl-C, and for any other key without a
 * character: unseen, it would become part of the passphrase.
 */
export async function readUnseen(chunks: AsyncIterable<string>): Promise<string> {
  let typed: string[] = [];
  for await (const chunk of chunks) {
    // Pasted text arrives as one chunk.
    for (const character of chunk) {
      if (character === ENTER || character === LINE_FEED || character === END) return typed.join('');
      if (character === INTERRUPT) throw refused('Ctrl-C');
      if (character === CLEAR) typed = [];
      else if (character === BACKSPACE || character === DELETE) typed = typed.slice(0, -1);
      else if (CONTROL.test(character)) throw refused('a key without a character');
      else typed.push(character);
    }
  }
  return typed.join('');
}

function refused(found: string): CathedralError {
  return new CathedralError('usage', { place: 'passphrase', expected: 'characters and Enter', found });
}
