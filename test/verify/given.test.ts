import { execFileSync } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FIRST_LINE } from '../../pipeline/ledger/log/tlog-proof.ts';
import { type Kind, openGiven } from '../../pipeline/verify/given.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { CSV_HEADER } from './audit/small-log.ts';

async function opened(path: string, said: Kind | null = null) {
  using given = await openGiven(path, said);
  if (given.kind === 'service') return { kind: given.kind, text: '' };
  const bytes = Buffer.concat(await Array.fromAsync(given.chunks));
  return { kind: given.kind, text: bytes.toString('latin1') };
}

test('a pipe, which can be read only once, is told apart by its first line and then read whole', async () => {
  const pipe = join(await temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (const [text, kind] of [
    [`${CSV_HEADER}\n${'row\n'.repeat(600_000)}`, 'export'],
    [`${FIRST_LINE}\nindex 0\n`, 'proof'],
    ['{"a": 1}', 'file'],
    ['', 'file'],
  ] as const) {
    const [read] = await Promise.all([opened(pipe), writeFile(pipe, text)]);
    expect(read.kind).toBe(kind);
    expect(read.text === text).toBe(true);
  }
});

test('a first line says what a file is, whatever follows it and however its lines end', async () => {
  const path = join(await temporaryFolder(), 'file');
  const kindOf = async (text: string) => {
    writeFileSync(path, text);
    appendFileSync(path, Buffer.of(0xff, 0xfe, 0x0a));
    return (await opened(path)).kind;
  };
  expect(await kindOf(`\uFEFF${CSV_HEADER}\r\n`)).toBe('export');
  expect(await kindOf(`${CSV_HEADER}\n`)).toBe('export');
  expect(await kindOf(`${FIRST_LINE}\r\n`)).toBe('proof');
  expect(await kindOf('c2sp.org/tlog-proof@v2\n')).toBe('proof');
  expect(await kindOf(`${CSV_HEADER},more\n`)).toBe('file');
  expect(await kindOf('\0'.repeat(2_000_000))).toBe('file');
});

test.each([null, 'file'] as const)(
  'a device, which may have no end, is refused, if the reader says %j',
  async (said) => {
    const fault = { code: 'config_invalid', place: '/dev/zero', found: 'a device' };
    await expect(openGiven('/dev/zero', said)).rejects.toMatchObject(fault);
  },
);
