import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { askNewPassphrase, readUnseen } from '../../src/commands/passphrase.ts';

async function typed(chunks: readonly string[], ends = false): Promise<string> {
  const terminal = new PassThrough();
  const line = readUnseen(terminal);
  line.catch(() => {});
  for (const chunk of chunks) {
    terminal.write(chunk);
    await setImmediate();
  }
  if (ends) terminal.end();
  return line;
}

test.each([
  ['key by key, with Enter', ['a', 'b', '\r'], 'ab'],
  ['pasted, with a line end', ['correct horse\n'], 'correct horse'],
  ['and corrected, by character', ['ab😀\x7f\x7fc\b\b', 'd\r'], 'd'],
  ['and corrected with arrows', ['bc', '\x1b[D\x1b[D', 'a\r'], 'abc'],
  ['and emptied with Ctrl-U', ['wrong\x15right\r'], 'right'],
  ['with a tab', ['a\tb\r'], 'a\tb'],
])('a passphrase is read as it is typed: %s', async (_, chunks, line) => {
  expect(await typed(chunks)).toBe(line);
});

test('a terminal that ends has what was typed', async () => {
  expect(await typed(['a'], true)).toBe('a');
});

test('Ctrl-C ends it', async () => {
  await expect(typed(['ab\x03'])).rejects.toMatchObject({ code: 'usage', found: 'Ctrl-C' });
});

test('a passphrase is not asked for twice if the first passphrase is too short', async () => {
  const asked: string[] = [];
  const typing = (answers: string[]) => async (question: string) => {
    asked.push(question);
    return answers.shift()!;
  };
  await expect(askNewPassphrase(typing(['elevenchars']))).rejects.toMatchObject({ found: 'fewer' });
  expect(asked).toHaveLength(1);
  await expect(askNewPassphrase(typing(['twelve chars', 'twelve chars!']))).rejects.toMatchObject({
    found: 'two different ones',
  });
  expect(await askNewPassphrase(typing(['twelve chars', 'twelve chars']))).toBe('twelve chars');
});
