import { describe, expect, test } from 'vitest';
import { CathedralError } from '../../../pipeline/errors.ts';
import { type Format, type ReadOptions, readRowFile } from '../../../pipeline/ledger/rows/event-rows.ts';
import { parseMapping } from '../../../pipeline/ledger/rows/mapping.ts';

interface Read {
  lines: number[];
  drafts: unknown[];
  faults: string[];
}

/** Reads content in chunks of `size` bytes, as a pipe may deliver it. */
async function read(
  content: string | Buffer,
  name: string,
  options: ReadOptions = {},
  size = 7,
): Promise<Read> {
  const bytes = Buffer.from(content);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const result: Read = { lines: [], drafts: [], faults: [] };
  try {
    const file = await readRowFile({ name, bytes: chunks() }, options);
    for await (const batch of file.rows) {
      for (const { line, mapped, fault } of batch) {
        if (fault) result.faults.push(fault.message);
        else {
          result.lines.push(line);
          result.drafts.push(mapped?.draft);
        }
      }
    }
  } catch (error) {
    if (!(error instanceof CathedralError)) throw error;
    result.faults.push(error.message);
  }
  return result;
}

const MII = { type: 'mii_reading', agent: 'ATLAS', data: { mii: 0.94 } };
const BEAT = { type: 'heartbeat', agent: 'Müller', data: {} };
const LINES = `${JSON.stringify(MII)}\n${JSON.stringify(BEAT)}\n`;
const CSV = 'type,agent,data.mii\nmii_reading,ATLAS,0.94\nheartbeat,Müller,\n';
const NAMED = parseMapping(
  JSON.stringify({
    file: { encoding: 'windows-1252' },
    type: 'type',
    agent: 'agent',
    data: { mii_reading: { mii: 'data.mii' } },
  }),
  'mapping.json',
);

describe('events are read from', () => {
  const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
  test.for<[what: string, content: string | Buffer, name: string, lines: number[], options?: ReadOptions]>([
    ['NDJSON', LINES, 'a.ndjson', [1, 2]],
    ['NDJSON without the last line end', LINES.slice(0, -1), 'a.jsonl', [1, 2]],
    [
      'NDJSON with CRLF, a BOM and empty lines',
      `\ufeff${LINES.replaceAll('\n', '\r\n\r\n')}`,
      'a.ndjson',
      [1, 3],
    ],
    [
      'NDJSON with spaces, as Python writes it',
      LINES.replaceAll(',', ', ').replaceAll(':', ': '),
      'x',
      [1, 2],
    ],
    ['NDJSON of PowerShell, in UTF-16', utf16(LINES), 'a.ndjson', [1, 2]],
    ['a JSON array', JSON.stringify([MII, BEAT], null, 1), 'a.json', [2, 9]],
    [
      'a JSON object with events',
      `{"events": [\n${JSON.stringify(MII)},\n${JSON.stringify(BEAT)}]}`,
      'x',
      [2, 3],
    ],
    ['CSV', CSV, 'a.csv', [2, 3]],
    ['CSV of standard input', CSV, 'standard input', [2, 3]],
    [
      'CSV with semicolons, CRLF, a BOM and quotes',
      `\ufeff${CSV.replaceAll(',', ';').replaceAll('\n', '\r\n').replace('ATLAS', '"ATLAS"')}`,
      'a.csv',
      [2, 3],
    ],
    [
      'CSV with tabs and the line ends of old Macs',
      CSV.replaceAll(',', '\t').replaceAll('\n', '\r'),
      'a.tsv',
      [2, 3],
    ],
    ['CSV with the first line of Excel', `sep=;\r\n${CSV.replaceAll(',', ';')}`, 'a.csv', [3, 4]],
    ['CSV in UTF-16', utf16(CSV), 'a.csv', [2, 3]],
    [
      'CSV in Windows-1252, as the mapping says',
      Buffer.from(CSV, 'latin1'),
      'a.csv',
      [2, 3],
      { mapping: NAMED },
    ],
  ])('%s', async ([, content, name, lines, options]) => {
    for (const size of [1, 7, 1000]) {
      const result = await read(content, name, options, size);
      expect(result).toEqual({ lines, drafts: [MII, BEAT], faults: [] });
    }
  });

  test('CSV whose cells have line ends, with the line at which a row begins', async () => {
    for (const end of ['\n', '\r\n']) {
      const rows = [
        'type,agent,data.note',
        'a,"x\n\ny","q\n"',
        '',
        'b,y,"two ""words"""',
        ',"", ',
        'c,z,',
        ',,',
      ];
      const { lines, drafts, faults } = await read(rows.join('\n').replaceAll('\n', end), 'a.csv');
      expect({ lines, faults }).toEqual({ lines: [2, 7, 9], faults: [] });
      expect(drafts[1]).toEqual({ type: 'b', agent: 'y', data: { note: 'two "words"' } });
    }
  });
});

describe('a file is refused with its line', () => {
  const long = `{"type":"${'x'.repeat(10 * 1024 * 1024)}"}\n`;
  test.for<
    [what: string, content: string | Buffer, name: string, message: string, valid?: number, format?: Format]
  >([
    [
      'NaN',
      `${LINES}{"type":"a","agent":"b","data":{"mii": NaN}}\n`,
      'a.ndjson',
      'a.ndjson:3: expected JSON, which has no such value: leave the member out, found NaN',
      2,
    ],
    [
      'a number beyond a double',
      `${LINES}{"data":{"n":1e999}}\n`,
      'a.ndjson',
      'a.ndjson:3, member data.n: expected a number that a double holds',
      2,
    ],
    [
      'an integer that a double changes',
      '{"data":{"n":12345678901234567890}}',
      'a.ndjson',
      'a.ndjson:1, member data.n: expected a number that a double holds digit by digit: round a longer one, or write it as a text, found 12345678901234567890',
    ],
    [
      'a member twice',
      '{"type":"a","type":"b"}\n',
      'a.ndjson',
      'a.ndjson:1, member type: expected each member once',
    ],
    [
      'half of a surrogate pair',
      '{"data":{"t":"\\ud83d"}}\n',
      'a.ndjson',
      'a.ndjson:1, member data.t: expected well-formed Unicode',
    ],
    ['__proto__', '{"data":{"__proto__":{}}}\n', 'a.ndjson', 'expected no member __proto__'],
    ['a line of 10 MB', `${long}${LINES}`, 'a.ndjson', 'a.ndjson:1: expected at most 1 MiB in one line', 2],
    [
      'CR alone',
      LINES.replaceAll('\n', '\r'),
      'a.ndjson',
      'a.ndjson:1: expected lines that end with LF or CRLF, found CR alone',
    ],
    [
      'a line that is half there',
      `${LINES}{"type":"a`,
      'a.ndjson',
      'a.ndjson:3: expected JSON, found at character',
      2,
    ],
    [
      'something else than an object',
      `${LINES}17\n`,
      'a.ndjson',
      'a.ndjson:3: expected a JSON object, found 17',
      2,
    ],
    [
      'a misspelt member',
      '{"timestmp":"x"}',
      'a.ndjson',
      'a.ndjson:1: expected the member timestamp, found the member "timestmp"',
    ],
    ['a JSON text', '"events"', 'a.json', 'a.json: expected an array of events'],
    ['broken JSON', '[\n{"type":"a"},\n{]', 'a.json', 'a.json:3: expected JSON'],
    ['a NaN in JSON', '[\n{"type": NaN}]', 'a.json', 'a.json:2: expected JSON'],
    [
      'a workbook',
      Buffer.from([0x50, 0x4b, 3, 4, 0, 0]),
      'a.csv',
      'a.csv: expected text, found a workbook (.xlsx or .ods): save it as “CSV UTF-8”',
    ],
    [
      'Latin-1',
      Buffer.from(CSV, 'latin1'),
      'a.csv',
      'a.csv:3: expected UTF-8: export it as “CSV UTF-8”, or name the "encoding" in the mapping file, such as windows-1252, found the byte 0xfc, which is "ü" in Windows-1252',
    ],
    ['UTF-16 without a BOM', Buffer.from(CSV, 'utf16le'), 'a.csv', 'found a NUL byte, as in UTF-16'],
    [
      'half a character at the end',
      Buffer.from([...Buffer.from('type,agent\nx,'), 0xc3]),
      'a.csv',
      'a.csv:2: expected UTF-8',
    ],
    ['nothing', '', 'a.csv', 'a.csv: expected a line with the names of columns, found no line'],
    [
      'too few cells',
      'type,agent,data.mii\nheartbeat,ATLAS\n',
      'a.csv',
      'a.csv:2: expected 3 cells, as the first line has, found 2',
    ],
    [
      'a column twice',
      'type,agent,type\n',
      'a.csv',
      'a.csv:1: expected each column once, found "type" twice',
    ],
    [
      'a cell without a column',
      'type,agent,\nheartbeat,ATLAS,x\n',
      'a.csv',
      'a.csv:2: expected a name for column 3 in the first line, found none',
    ],
    [
      'a quote that does not close',
      `${CSV}heartbeat,"ATLAS,\n`,
      'a.csv',
      'a.csv:4: expected CSV with quotes',
      2,
    ],
    [
      'a quote inside of a cell',
      `${CSV}heartbeat,5" pipe,\n`,
      'a.csv',
      'a.csv:4: expected CSV with quotes',
      2,
    ],
    [
      'a quote that opens 10 MB',
      `${CSV}heartbeat,"${'x\n'.repeat(1024 * 1024)}`,
      'a.csv',
      'where a quote may not be closed: expected at most 1 MiB',
      2,
    ],
    [
      'a decimal comma',
      'type;agent;data.mii\nmii_reading;ATLAS;0,94\n',
      'a.csv',
      'a.csv:2, column data.mii: expected data.mii to be a number like 1.5, or "decimal": "," in the mapping file, found "0,94"',
    ],
    [
      'an unknown column',
      'type,agent,Bemerkung\n',
      'a.csv',
      'a.csv:1: expected one of the columns id, timestamp',
    ],
  ])('%s', async ([, content, name, message, valid = 0, format]) => {
    const { faults, drafts } = await read(content, name, { format: format ?? null }, 64 * 1024);
    expect(faults.join('\n')).toContain(message);
    expect(faults).toHaveLength(1);
    expect(drafts).toHaveLength(valid);
  });

  test('a missing column of the mapping', async () => {
    const { faults } = await read('type,agnt\n', 'a.csv', { mapping: NAMED });
    expect(faults[0]).toContain(
      'a.csv:1: expected the column "agent", which the mapping file names, found "agnt"',
    );
  });
});
