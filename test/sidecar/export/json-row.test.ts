import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvRow } from '../../../pipeline/artifacts/format/csv.ts';
import { jsonRoom, writeJsonRow } from '../../../src/sidecar/export/json-row.ts';
import { Row } from '../../../src/sidecar/export/row.ts';
import { anyCharacter } from '../../any-character.ts';

const HASH = `0x${'0b'.repeat(32)}`;

test('A CSV row is written as JSON within the room that is kept for it, whatever its texts are', () => {
  const texts = fc.record({
    agent: fc.string({ unit: anyCharacter, minLength: 1 }),
    data: fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue()),
    before: fc.nat(100),
  });
  const property = fc.property(texts, ({ agent, data, before }) => {
    const cells = ['2025-12-01T06:00:00.5Z', 'noted', agent, JSON.stringify(data), HASH];
    const bytes = Buffer.from(`${'x'.repeat(before)}${csvRow(cells)}more`);
    const row = new Row();
    row.read(bytes, before);
    expect(row.end).toBe(bytes.length - 'more'.length);
    const target = Buffer.alloc(2 + jsonRoom(row), '!');
    const end = writeJsonRow(bytes, row, target, 2);
    expect(end).toBeLessThanOrEqual(target.length);
    expect(target.subarray(end).every((byte) => byte === '!'.charCodeAt(0))).toBe(true);
    const names = '{"timestamp":"2025-12-01T06:00:00.5Z","event_type":"noted","agent":';
    const written = target.toString('utf8', 2, end);
    const rest = `,"data":${JSON.stringify(data)},"attestation_hash":"${HASH}"}`;
    expect([written.startsWith(names), written.endsWith(rest)]).toEqual([true, true]);
    expect(JSON.parse(written.slice(names.length, -rest.length))).toBe(agent);
  });
  fc.assert(property, { seed: 3, numRuns: 500 });
});

test.each(['', 'a,b', 'a,b,"c', 'a,b,"c""', 'a,b,c,{}'])('%j is no row', (text) => {
  expect(() => new Row().read(Buffer.from(text), 0)).toThrow('are not rows');
});
