import { describe, expect, test } from 'vitest';
import { formatNdjson } from '../../pipeline/forms/ndjson.ts';
import { TABLES } from '../../pipeline/forms/tables.ts';

const named = (name: string) => TABLES.find((table) => table.name === name)!;

describe('JSON lines', () => {
  test('are one object a line, with every digit of an amount', () => {
    const rows = [['2026-01-01T00:00:00Z', 'C-1', 'E"\n', '123456789012345.654321', 'X', 0.1, 70312]];
    expect(formatNdjson(named('mic_history'), rows)).toEqual([
      '{"timestamp":"2026-01-01T00:00:00Z","cycle":"C-1","sentinel":"E\\"\\n","amount":123456789012345.654321,"cathedral":"X","coordination_score":0.1,"event":70312}\n',
    ]);
  });

  test('have lists as lists and null for an empty cell', () => {
    const [line] = formatNdjson(named('treaty_paragraphs'), [[1, 2, 'text', ['a', 'b']]]);
    expect(JSON.parse(line!)).toEqual({ article: 1, number: 2, text: 'text', points: ['a', 'b'] });
    const [empty] = formatNdjson(named('supply'), [['t', null, '1', '0', '0']]);
    expect(JSON.parse(empty!)).toEqual({
      timestamp: 't',
      total_supply: null,
      circulating: 1,
      locked: 0,
      burned: 0,
    });
  });
});
