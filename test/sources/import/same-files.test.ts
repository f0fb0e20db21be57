import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { formatVerifierKey } from '../../../pipeline/ledger/notes/note.ts';
import { type FileKind, fileSource } from '../../../pipeline/sources/file/file-source.ts';
import { runHere } from '../../contract/commands/seam.ts';
import { Folders, importFrom, SIGNER, verifiedLedger } from '../civic/import-fixture.ts';

const NOW = Date.parse('2026-02-01T12:00:00Z');
const folders = new Folders();
afterAll(() => folders.remove());

/** What the events say; null if the file is refused. */
type Said = string[] | null;

async function eventsIn(ledger: string): Promise<string[]> {
  const { events } = await verifiedLedger(ledger);
  return events.map(({ timestamp, type, agent, data: { source: _, ...data } }) =>
    JSON.stringify([timestamp, type, agent, data]),
  );
}

async function appended(path: string): Promise<Said> {
  const ledger = folders.make();
  mkdirSync(join(ledger, 'snapshots'));
  const key = join(folders.make(), 'ledger.vkey');
  writeFileSync(key, `${formatVerifierKey(SIGNER.verifier)}\n`);
  const args = [path, `--ledger=${ledger}`, `--ledger-key=${key}`];
  const { status } = await runHere('ledger append', args, { now: () => NOW });
  return status === 0 ? eventsIn(ledger) : null;
}

async function followed(kind: FileKind, path: string): Promise<Said> {
  const directory = folders.make();
  return importFrom(fileSource(kind, path, null), directory, { now: () => NOW }).then(
    () => eventsIn(directory),
    (error) => {
      expect(error.message).toMatch(/rows\.(csv|ndjson)/);
      return null;
    },
  );
}

const HEAD = 'timestamp,type,agent,data.text\n';
const row = (text: string, end = '\n') => `2026-01-01T10:00:00Z,note,ATLAS,${text}${end}`;
const event = (more = '') =>
  `{"timestamp":"2026-01-01T10:00:00Z","type":"note","agent":"ATLAS","data":{}${more}}`;

// UTF-16 is the exception: a file that grows has to be UTF-8, or have one byte for a line end.
describe('the same files are accepted and refused when they are appended and when they are followed', () => {
  test.each<[string, FileKind, string | Buffer, number | null]>([
    ['plain rows', 'csv', HEAD + row('one') + row('two'), 2],
    ['no line end at the end', 'csv', HEAD + row('one') + row('two', ''), 2],
    ['a header alone', 'csv', HEAD, 0],
    ['a header alone without a line end', 'csv', HEAD.trimEnd(), 0],
    ['nothing', 'csv', '', null],
    ['CRLF', 'csv', (HEAD + row('one') + row('two')).replaceAll('\n', '\r\n'), 2],
    ['CR', 'csv', (HEAD + row('one') + row('two')).replaceAll('\n', '\r'), 2],
    ['several line ends', 'csv', `${HEAD}${row('one', '\r\n')}${row('two', '\r')}${row('three')}`, 3],
    ['empty lines and rows', 'csv', `${HEAD}\n\r\n,,,\n${row('one')} ,,,\n"",,,\n${row('two')}\n\n,,,`, 2],
    ['a quoted cell', 'csv', HEAD + row('"one, two"') + row('two'), 2],
    ['quotes in a quoted cell', 'csv', HEAD + row('"one ""or"" two"') + row('"""two"""'), 2],
    ['line ends in a quoted cell', 'csv', HEAD + row('"one\nor\r\ntwo\r"') + row('two'), 2],
    ['an empty quoted cell', 'csv', HEAD + row('""') + row('two'), 2],
    ['a quoted cell at the end', 'csv', HEAD + row('one') + row('"two"', ''), 2],
    ['a quoted header', 'csv', `"timestamp","type","agent","data.text"\n${row('one')}`, 1],
    ['a semicolon', 'csv', (HEAD + row('"one;two"') + row('two')).replaceAll(',', ';'), 2],
    ['a tab', 'csv', (HEAD + row('one') + row('two')).replaceAll(',', '\t'), 2],
    ['sep=', 'csv', `sep=;\n${(HEAD + row('one')).replaceAll(',', ';')}`, 1],
    ['a byte order mark', 'csv', `\ufeff${HEAD}${row('one')}`, 1],
    [
      'a byte order mark between two files that were joined',
      'csv',
      `id,${HEAD}1,${row('one')}\ufeff2,${row('two')}`,
      null,
    ],
    ['an open quote', 'csv', HEAD + row('one') + row('"two') + row('three'), null],
    ['an open quote at the end', 'csv', HEAD + row('one') + row('"two', ''), null],
    ['a quote in a cell', 'csv', HEAD + row('one') + row('5" pipe') + row('three'), null],
    ['two quotes in cells', 'csv', HEAD + row('5" pipe') + row('6" pipe') + row('three'), null],
    ['something after a quoted cell', 'csv', HEAD + row('"one" two') + row('three'), null],
    ['a space before a quote', 'csv', HEAD + row(' "one"') + row('three'), null],
    ['too few cells', 'csv', `${HEAD}${row('one')}2026-01-01T10:00:00Z,note\n`, null],
    ['too few cells at the end', 'csv', `${HEAD}${row('one')}2026-01-01T10:00:00Z,no`, null],
    ['too many cells', 'csv', HEAD + row('one,two'), null],
    ['a column twice', 'csv', `timestamp,type,agent,agent\n${row('one')}`, null],
    ['Latin-1', 'csv', Buffer.from(HEAD + row('grün'), 'latin1'), null],
    ['a zero byte', 'csv', HEAD + row('one\0two'), null],
    ['lines', 'ndjson', `${event()}\n${event()}\n`, 2],
    ['no line end at the end of JSON', 'ndjson', `${event()}\n${event()}`, 2],
    ['CRLF and empty lines', 'ndjson', `${event()}\r\n\r\n \n${event()}\r\n`, 2],
    ['CR between lines of JSON', 'ndjson', `${event()}\r${event()}\r`, null],
    ['half of a line', 'ndjson', `${event()}\n${event().slice(0, 40)}`, null],
    ['no object', 'ndjson', `${event()}\n[1]\n`, null],
    ['a member that is none', 'ndjson', `${event(',"when":1')}\n`, null],
    ['a member twice', 'ndjson', `${event(',"type":"note"')}\n`, null],
    ['a byte order mark in JSON', 'ndjson', `\ufeff${event()}\n`, 1],
    ['a separator of lines in a text', 'ndjson', `${event().replace('{}', '{"text":"a\u2028b"}')}\n`, 1],
  ])('%s', async (_, kind, content, count) => {
    const path = join(folders.make(), `rows.${kind}`);
    writeFileSync(path, content);
    utimesSync(path, NOW / 1000 - 3600, NOW / 1000 - 3600);
    const said = await followed(kind, path);
    expect(said).toEqual(await appended(path));
    expect(said?.length ?? null).toBe(count);
    expect(readFileSync(path)).toEqual(Buffer.from(content));
  });
});
