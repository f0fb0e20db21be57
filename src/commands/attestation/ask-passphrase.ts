import { closeSync, openSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import { CathedralError } from '../../../pipeline/errors.ts';

const TERMINAL = '/dev/tty';
const [ENTER, LINE_FEED, INTERRUPT, END, BACKSPACE, DELETE] = ['\r', '\n', '\x03', '\x04', '\b', '\x7f'];

/** What is typed on the terminal, unseen; where standard input is a document, too. Throws usage where there is no terminal. */
export async function askPassphrase(question: string): Promise<string> {
  const terminal = openTerminal();
  try {
    process.stderr.write(question);
    return await readUnseen(terminal);
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

async function readUnseen(terminal: ReadStream): Promise<string> {
  let typed: string[] = [];
  // An iterator of characters over chunks: what is pasted comes as one.
  for await (const chunk of terminal.setEncoding('utf8')) {
    for (const character of chunk as string) {
      if (character === ENTER || character === LINE_FEED || character === END) return typed.join('');
      if (character === INTERRUPT)
        throw new CathedralError('usage', { place: 'passphrase', expected: 'one', found: 'Ctrl-C' });
      typed = character === BACKSPACE || character === DELETE ? typed.slice(0, -1) : [...typed, character];
    }
  }
  return typed.join('');
}
