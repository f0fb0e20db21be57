import { gzipSync, zstdCompressSync } from 'node:zlib';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CathedralError } from '../../../pipeline/errors.ts';
import { type ReadOptions, readRowFile } from '../../../pipeline/sources/rows/event-rows.ts';
import { readJsonDocument } from '../../../pipeline/sources/rows/json-rows.ts';
import { parseMapping } from '../../../pipeline/sources/rows/mapping.ts';

interface Read {
  lines: number[];
  drafts: unknown[];
  faults: string[];
  warnings: unknown[];
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
  const result: Read = { lines: [], drafts: [], faults: [], warnings: [] };
  try {
    const file = await readRowFile({ name, bytes: chunks() }, options);
    for await (const batch of file.rows) {
      for (const { line, draft, warning } of batch) {
        if (warning) result.warnings.push(warning);
        if (draft instanceof CathedralError) result.faults.push(draft.message);
        else {
          result.lines.push(line);
          result.drafts.push(draft);
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

test('the lines of many items on one line are counted in one pass', async () => {
  async function* content() {
    yield Buffer.from(`[${'0,'.repeat(500_000)}0]`);
  }
  const { items } = await readJsonDocument(content(), 'events.json');
  expect(items.at(-1)).toEqual({ line: 1, value: 0 });
});

test.each([
  ['a workbook (.xlsx, .ods) or a zip file', Buffer.from('PK\x03\x04\x14\0')],
  ['an old Excel workbook (.xls)', Buffer.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1)],
  ['a gzip file', gzipSync('timestamp,type\n')],
  ['a zstd file', zstdCompressSync('timestamp,type\n')],
])('%s in place of text is refused by name', async (kind, bytes) => {
  const { faults } = await read(bytes, 'a.csv');
  expect(faults).toEqual([expect.stringContaining(`expected text, found ${kind}`)]);
});

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
      expect(result).toEqual({ lines, drafts: [MII, BEAT], faults: [], warnings: [] });
    }
  });

  // Beyond 5,000 levels, what calls itself for each level overflows the stack.
  test.for([513, 6000, 200_000])('no event with %i arrays in each other', async (levels) => {
    const deep = '['.repeat(levels) + ']'.repeat(levels);
    const event = `{"type":"heartbeat","agent":"A","data":{"x":${deep}}}`;
    const rows = {
      'a.ndjson': event,
      'a.json': `[${event}]`,
      'a.csv': `type,agent,data\nheartbeat,A,"{""x"":${deep}}"`,
    };
    for (const [name, content] of Object.entries(rows)) {
      const { drafts, faults } = await read(content, name, {}, 1 << 20);
      expect([name, drafts.length]).toEqual([name, 0]);
      expect(faults.join(), name).toContain('expected at most 512 objects or arrays in each other');
    }
  });

  test('columns of a fixed width, whose cells of spaces are empty, and numbers that stand for nothing', async () => {
    const mapping = parseMapping(
      JSON.stringify({
        missing: ['-99'],
        type: { constant: 'mii_reading' },
        agent: 'who',
        data: {
          mii_reading: {
            mii: 'mii',
            checked: { column: 'x', values: { X: true }, default: false },
            drift: { column: 'drift', as: 'number' },
          },
        },
      }),
      'mapping.json',
    );
    const expected = [
      { type: 'mii_reading', agent: 'ATLAS', data: { mii: 0.9, checked: false } },
      { type: 'mii_reading', agent: 'ATLAS', data: { mii: 0.8, checked: true, drift: 2 } },
    ];
    const table = 'who,mii,x,drift\nATLAS, 0.9, ,      \nATLAS, 0.8,X,   2.0\n';
    const rows = [
      { who: 'ATLAS', mii: 0.9, drift: -99 },
      { who: 'ATLAS', mii: 0.8, x: 'X', drift: 2 },
    ];
    for (const [content, name] of [
      [table, 'a.csv'],
      [table.replaceAll('      ', '-99'), 'a.csv'],
      [rows.map((row) => JSON.stringify(row)).join('\n'), 'a.ndjson'],
    ] as const)
      expect(await read(content, name, { mapping })).toMatchObject({ drafts: expected, faults: [] });
  });

  test('rows of many columns, in time in proportion to their number, of which none changes a constant', async () => {
    const columns = Array.from({ length: 8000 }, (_, index) => `c${index}`);
    const own = Object.fromEntries(
      columns.map((column, index) => [index % 2 === 0 ? column : `votes.${column}`, column]),
    );
    const data = { wide: { ...own, of: { constant: { all: 1 } }, 'of.note': 'note' } };
    const mapping = parseMapping(
      JSON.stringify({ type: { constant: 'wide' }, agent: { constant: 'A' }, data }),
      'mapping.json',
    );
    const ones = ',1'.repeat(columns.length);
    const table = `note,${columns.join()}\nx${ones}\n${ones}\n`;
    const { drafts, faults } = await read(table, 'a.csv', { mapping }, 1 << 20);
    expect(faults).toEqual([]);
    const [first, second] = drafts as { data: Record<string, unknown> }[];
    expect(Object.keys(first!.data)).toHaveLength(columns.length / 2 + 2);
    expect(Object.keys(first!.data.votes!)).toHaveLength(columns.length / 2);
    expect([first!.data.of, second!.data.of]).toEqual([{ all: 1, note: 'x' }, { all: 1 }]);
  }, 15_000);

  test('a thousand columns of each row, in time in proportion to their number', async () => {
    const columns = Array.from({ length: 1000 }, (_, index) => `v${index}`);
    const data = { vote: { motion: 'motion', vote: 'vote' } };
    const each = { columns, name: 'voter', value: 'vote' };
    const votes = { each, type: { constant: 'vote' }, agent: 'voter', data };
    const mapping = parseMapping(JSON.stringify({ events: [votes] }), 'mapping.json');
    const rows = Array.from({ length: 20 }, (_, index) => `M-${index}${',yes'.repeat(columns.length)}\n`);
    const table = `motion,${columns.join()}\n${rows.join('')}`;
    const { drafts, faults } = await read(table, 'a.csv', { mapping }, 1 << 20);
    expect(faults).toEqual([]);
    expect(drafts).toHaveLength(20_000);
    expect(drafts[1]).toEqual({ type: 'vote', agent: 'v1', data: { motion: 'M-0', vote: 'yes' } });
    expect(drafts.at(-1)).toEqual({ type: 'vote', agent: 'v999', data: { motion: 'M-19', vote: 'yes' } });
    // What `each` adds to a row is no column of its table.
    const byVoter = parseMapping(JSON.stringify({ id: 'voter', events: [votes] }), 'mapping.json');
    const [fault] = (await read(table, 'a.csv', { mapping: byVoter })).faults;
    expect(fault).toContain('a.csv:1: expected the column "voter", which the mapping file names');
  }, 10_000);

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

  test('CSV with two quotes that nobody closed, and not as one cell of all rows between them', async () => {
    const row = (line: number, note: string) => `2026-10-01T06:00:0${line}Z,a,${note},x`;
    const notes = ['one', '"Smith', 'three', 'pipe 5"', '"a\nb, c, d\ne"'];
    const table = ['timestamp,type,data.note,agent', ...notes.map((note, at) => row(at, note))].join('\n');
    const { lines, faults } = await read(table, 'a.csv');
    expect(lines).toEqual([2, 6]);
    expect(faults).toEqual([
      'a.csv:3: expected line 4 to begin a row, found it and 1 more line in one cell: a quote may not be closed (ledger_corrupt)',
    ]);
  });

  test('CSV with two quotes that nobody closed, with words for times, and without a last line end', async () => {
    const values = { first: '2026-01-01T00:00:00Z', second: '2026-04-01T00:00:00Z' };
    const file = { timestamp: { column: 'when', values }, type: { constant: 'note' }, agent: 'who' };
    const mapping = parseMapping(JSON.stringify({ ...file, data: { note: { text: 'a' } } }), 'mapping.json');
    const { lines, faults } = await read('when,who,a,b\nfirst,eve,1,"x\nsecond,kim,3,y"', 'a.csv', {
      mapping,
    });
    expect(lines).toEqual([]);
    expect(faults).toEqual([expect.stringContaining('expected line 3 to begin a row, found it in one cell')]);
  });

  test.each([
    // A line of a log may be three cells with a time.
    ['timestamp,type,agent', '2026-10-01T06:00:00Z,a,', '2026-10-01T06:00:00Z,info,started', true],
    ['timestamp,type,agent', '2026-10-01T06:00:00Z,a,', 'one, two, three 2026', false],
    ['timestamp,type,agent', '2026-10-01T06:00:00Z,a,', '2026-10-01T06:00:00Z, info', false],
    // A line of prose may be four cells.
    ['type,agent,data.a,data.b', 'a,b,c,', 'd,e,f,g', true],
    ['type,agent,data.a', 'a,b,', 'd,e,f', false],
  ])(
    'a cell of %s that may be two quotes that nobody closed is a warning',
    async (header, before, text, isWarned) => {
      const table = `${header}\n${before}"x\n${text}\n\n${text}"\n`;
      const { drafts, faults, warnings } = await read(table, 'a.csv');
      expect({ drafts: drafts.length, faults }).toEqual({ drafts: 1, faults: [] });
      const found = 'it and 1 more line in one cell: a quote may not be closed';
      expect(warnings).toEqual(isWarned ? [{ kind: 'quote', expected: 'line 3 to begin a row', found }] : []);
    },
  );

  test('CSV with any cells, as another program writes them', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\t', '\n', '\r', ' ', 'é', '漢') });
    const written = fc.record({
      delimiter: fc.constantFrom(',', ';', '\t'),
      record_delimiter: fc.constantFrom('\n', '\r\n', '\r'),
      quoted: fc.boolean(),
      quoted_match: fc.constant(/[\r\n]/),
    });
    const same = fc.asyncProperty(
      fc.array(cell),
      written,
      fc.integer({ min: 1, max: 20 }),
      async (cells, how, size) => {
        const rows = cells.map((note) => ({ 'data.note': note, type: 'a', agent: 'x' }));
        const table = stringify(rows, { ...how, header: true, columns: ['data.note', 'type', 'agent'] });
        const { drafts, faults } = await read(table, 'a.csv', {}, size);
        const data = cells.map((note) => (note.trim() === '' ? {} : { note }));
        expect({ drafts, faults }).toEqual({
          drafts: data.map((one) => ({ type: 'a', agent: 'x', data: one })),
          faults: [],
        });
      },
    );
    await fc.assert(same, { numRuns: 300 });
  });
});
