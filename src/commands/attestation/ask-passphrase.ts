import { closeSync, openSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import { CathedralError } from '../../../pipeline/errors.ts';
import { readUnseen } from './read-unseen.ts';

const TERMINAL = '/dev/tty';

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
    throw new CathedralError('usage', { place: 'CATHEDRAL_PASSPHRASE', expected, found: 'neither', cause });
  }
}
