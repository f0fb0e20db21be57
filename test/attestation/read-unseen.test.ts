import { expect, test } from 'vitest';
import { readUnseen } from '../../src/commands/passphrase.ts';

async function* keys(chunks: readonly string[]) {
  yield* chunks;
}

test.each([
  ['key by key, with Enter', ['a', 'b', '\r'], 'ab'],
  ['pasted, with a line end', ['correct horse\n'], 'correct horse'],
  ['and ended with Ctrl-D, or by the terminal', ['a', '\x04'], 'a'],
  ['and not ended', ['a'], 'a'],
  ['and corrected, by character', ['ab😀\x7f\x7fc\b\b', 'd\r'], 'd'],
  ['and emptied with Ctrl-U', ['wrong\x15right\r'], 'right'],
  ['with a tab', ['a\tb\r'], 'a\tb'],
])('a passphrase is read as it is typed: %s', async (_, chunks, typed) => {
  expect(await readUnseen(keys(chunks))).toBe(typed);
});

test.each([
  ['Ctrl-C', 'ab\x03', 'found Ctrl-C'],
  ['Ctrl-Z', '\x1a', 'found a key without a character'],
  ['an arrow', 'ab\x1b[D', 'found a key without a character'],
  ['Ctrl-W', 'ab\x17', 'found a key without a character'],
])('%s is no part of it', async (_, chunk, message) => {
  await expect(readUnseen(keys([chunk]))).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(message),
  });
});
