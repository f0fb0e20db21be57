import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CathedralError } from '../../../pipeline/errors.ts';
import { formatEventLine } from '../../../pipeline/ledger/events/event-line.ts';
import { entryRow, formatRow } from '../../../pipeline/verify/audit/entry-row.ts';
import { parseRow } from '../../../pipeline/verify/audit/export-row.ts';
import { differences } from '../../../pipeline/verify/audit/read-export.ts';
import { RowBytes } from '../../../pipeline/verify/audit/row-bytes.ts';
import { events } from './small-log.ts';

const HASH = '0123456789abcdef'.repeat(4);
const FORMS = ['csv', 'json', 'ndjson'] as const;

/** The row of a line, between other bytes, without its line end and comma; null: its text has no place in a line. */
function written(form: (typeof FORMS)[number], line: string): string | null {
  const bytes = Buffer.from(`\0\0${line}\0\0,"salt":"AAAA"}`);
  const length = Buffer.byteLength(line);
  const target = Buffer.alloc(RowBytes.room(length), '#');
  const writer = new RowBytes(form);
  const end = writer.write(bytes, { begin: 2, end: 2 + length, hash: HASH }, target, 0);
  if (end < 0) return null;
  const { type, agent, cycle } = entryRow(Buffer.from(line), 0, HASH).event;
  expect(writer.fields(2)).toEqual({ type, agent, cycle });
  return target.toString('utf8', 0, end).replace(/,?\n$/, '');
}

test('a row written from the bytes of a line is the row of the parsed line', () => {
  for (const event of events) {
    const line = formatEventLine(event);
    const { row } = entryRow(Buffer.from(line), 0, HASH);
    for (const form of FORMS) expect(written(form, line)).toBe(formatRow(form, row));
  }
});

/** JSON in spellings that JSON.stringify does not produce. */
const spellings = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.json() },
      fc.constantFrom('-0', '-0.5', '1e400', '1E2', '1.0', '0.1e-7', '12345678901234567890', '9'.repeat(400)),
      fc.constantFrom('{"a":1,"a":2}', '{"2":0,"1":0}', '{"__proto__":{"a":1}}', '{}', '[]', '[[],{}]'),
      fc.constantFrom('"\\u0041"', '"\\/"', '"\\ud800"', '"\\n"', '"ü,\\""', ' 1', '{ "a" : [ ] }'),
      fc.constantFrom(`${'['.repeat(40)}${']'.repeat(40)}`, 'true', 'false', 'null'),
    ),
    { maxLength: 4 },
  )
  .map((values) => `{${values.map((value, index) => `"m${index % 3}":${value}`).join(',')}}`);

/** Texts as a JSON string has them, with and without escapes. */
const names = fc.oneof(
  fc.constantFrom('ATLAS', 'a,b', 'The "Council"', 'ü', 'line\nend', 'cr\r', '\\', '{"data":1}', '\u0001'),
  fc.string(),
);

test('whatever the spelling of a line, its row has the same cells', () => {
  const member = fc.tuple(names, names, spellings, fc.constantFrom('', ' ', ',"more":1'));
  fc.assert(
    fc.property(member, fc.constantFrom(...FORMS), ([agent, type, data, more], form) => {
      const [agentText, typeText] = [agent, type].map((text) => JSON.stringify(text));
      const head = `{"seq":7,"timestamp":"2025-12-01T06:00:00Z","cycle":"C-151","type":${typeText},"agent":${agentText}`;
      const line = `${head},"data":${data},"salt":"AAAAAAAAAAAAAAAAAAAAAA"${more}}`;
      const { row } = entryRow(Buffer.from(line), 0, HASH);
      const expected = formatRow(form, row);
      const text = written(form, line);
      if (text === null) return;
      const parsed = text === expected ? row : parseRow(form, text)!;
      expect(differences(parsed, row)).toEqual([]);
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ['a member twice', '{"a":1},"data":{"a":2}'],
  ['something else than an object as data', '[1]'],
  ['an unclosed string', '{"a":"b'],
  ['a list that is closed as an object', '{"a":[}}'],
  ['no value', '{"a":}'],
  ['a comma too many', '{"a":1,}'],
  ['a control character', '{"a":"\u0001"}'],
])('a line with %s gives what the JSON parser says', (_, data) => {
  const line = `{"seq":7,"timestamp":"t","cycle":"c","type":"y","agent":"a","data":${data},"salt":"AAAA"}`;
  const outcome = (work: () => string | null) => {
    try {
      return work();
    } catch (error) {
      return (error as CathedralError).code;
    }
  };
  const parsed = outcome(() => formatRow('csv', entryRow(Buffer.from(line), 0, HASH).row));
  expect(outcome(() => written('csv', line))).toBe(parsed);
});
