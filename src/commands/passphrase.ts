import { closeSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import { ReadStream } from 'node:tty';
import { readPrivate } from '../../pipeline/attestation/given-files.ts';
import { assertLong } from '../../pipeline/attestation/key-file.ts';
import type { Config } from '../../pipeline/config/settings.ts';
import { CathedralError } from '../../pipeline/errors.ts';

const TERMINAL = '/dev/tty';
/** Of a file; only its beginning is read, and a line that is cut off would be another passphrase. */
const LONGEST = 1024;

/** The first line of the file, or else the variable; null if neither is given, so that the user has to be asked. */
export async function givenPassphrase({
  attestationPassphraseFile: file,
  attestationPassphrase: text,
}: Pick<Config, 'attestationPassphrase' | 'attestationPassphraseFile'>): Promise<string | null> {
  if (file === null) return text;
  const [line = ''] = (await readPrivate(file)).split('\n');
  if (line !== '' && line.length <= LONGEST) return line;
  const [expected, found] =
    line === ''
      ? ['a passphrase in the first line', 'an empty line']
      : [`a passphrase of at most ${LONGEST} characters in the first line`, 'more'];
  throw new CathedralError('attestation_refused', { place: file, expected, found });
}

/** Asks for a new passphrase twice, the second time only if the first is long enough. Throws attestation_refused and usage. */
export async function askNewPassphrase(ask: typeof askPassphrase = askPassphrase): Promise<string> {
  const first = await ask('New passphrase, 12 characters or more: ');
  assertLong(first);
  if ((await ask('Repeat the passphrase: ')) === first) return first;
  const fault = { place: 'passphrase', expected: 'the same text twice', found: 'two different ones' };
  throw new CathedralError('attestation_refused', fault);
}

/** Asks on the terminal, since standard input may be a document. Throws usage if there is no terminal, and what `readUnseen` throws. */
export async function askPassphrase(question: string): Promise<string> {
  const terminal = openTerminal();
  try {
    process.stderr.write(question);
    return await readUnseen(terminal);
  } finally {
    terminal.destroy();
    process.stderr.write('\n');
  }
}

function openTerminal(): ReadStream {
  let file: number | undefined;
  try {
    file = openSync(TERMINAL, 'r');
    return new ReadStream(file);
  } catch (cause) {
    if (file !== undefined) closeSync(file);
    const expected = 'a passphrase, or a terminal to ask for it on';
    throw new CathedralError('usage', { place: '--passphrase-file', expected, found: 'neither', cause });
  }
}

/** A line that is typed and not shown, with the usual keys to correct it. Throws usage for Ctrl-C. */
export function readUnseen(input: Readable): Promise<string> {
  const output = new Writable({ write: (_text, _encoding, done) => done() });
  const line = createInterface({ input, output, terminal: true, historySize: 0 });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  line.on('SIGINT', () =>
    reject(new CathedralError('usage', { place: 'passphrase', expected: 'a line', found: 'Ctrl-C' })),
  );
  line.on('line', resolve);
  // Ended with Ctrl-D, or by the terminal.
  line.on('close', () => resolve(line.line));
  return promise.finally(() => line.close());
}
