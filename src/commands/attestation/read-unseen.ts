import { CathedralError } from '../../../pipeline/errors.ts';

const [ENTER, LINE_FEED, INTERRUPT, END, BACKSPACE, DELETE] = ['\r', '\n', '\x03', '\x04', '\b', '\x7f'];
/** Ctrl-U, by which a terminal empties a line. */
const EMPTY = '\x15';
/** An arrow is some of these, too; a tab may come from a program that keeps passphrases. */
const CONTROL = /[^\P{Cc}\t]/u;

/**
 * The line that is typed on a terminal in raw mode, whose keys come as they are. Throws usage for Ctrl-C, and for any other key that
 * stands for no character: unseen as it is, it would be a part of the passphrase.
 */
export async function readUnseen(chunks: AsyncIterable<string>): Promise<string> {
  let typed: string[] = [];
  for await (const chunk of chunks) {
    // By character: what is pasted comes as one chunk.
    for (const character of chunk) {
      if (character === ENTER || character === LINE_FEED || character === END) return typed.join('');
      if (character === INTERRUPT) throw refused('Ctrl-C');
      if (character === EMPTY) typed = [];
      else if (character === BACKSPACE || character === DELETE) typed = typed.slice(0, -1);
      else if (CONTROL.test(character)) throw refused('a key that stands for no character');
      else typed.push(character);
    }
  }
  return typed.join('');
}

function refused(found: string): CathedralError {
  return new CathedralError('usage', { place: 'passphrase', expected: 'characters and Enter', found });
}
