import { expect, test } from 'vitest';
import { givenText } from '../../pipeline/disk/read-given.ts';

test('the text of a given file has neither the byte order mark nor the line ends of a Windows editor', () => {
  for (const text of ['one\ntwo\n', '\uFEFFone\r\ntwo\r\n'])
    expect(givenText(Buffer.from(text), 'a.json')).toBe('one\ntwo\n');
});

test.each([
  ['in another encoding', Buffer.from('one\ncafé\n', 'latin1'), 'a.json:2'],
  ['in UTF-16', Buffer.from('\uFEFFone\n', 'utf16le'), 'a.json:1'],
])('a file %s is refused with the line', (_, bytes, place) => {
  expect(() => givenText(bytes, 'a.json')).toThrow(
    expect.objectContaining({ code: 'config_invalid', place }),
  );
});
