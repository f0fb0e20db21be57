import { describe, expect, test } from 'vitest';
import { readPiece, readTable } from '../../pipeline/formats/read-rows.ts';
import { TABLES } from '../../pipeline/formats/tables.ts';

const named = (name: string) => TABLES.find((table) => table.name === name)!;

describe('the rows of a file', () => {
  test('keep the digits of an amount that no double holds', () => {
    const text =
      '{"timestamp":"2026-01-01T00:00:00Z","total_supply":123456789012345.654321,"circulating":1.5,"locked":0,"burned":10}';
    expect(readTable(named('supply'), text)).toEqual([
      ['2026-01-01T00:00:00Z', '123456789012345.654321', '1.5', '0', '10'],
    ]);
  });

  test('of a list within a list name the row that they belong to', () => {
    const text = JSON.stringify({
      timestamp: '2026-01-01T00:00:00Z',
      deliberations: [
        {
          id: 'd-1',
          topic: 'A',
          sentinels: [{ id: 'EVE', position: 'support', reasoning: '', virtue_tags: ['justice', 'courage'] }],
          consensus: 'reached',
          outcome: 'B',
        },
        { id: 'd-2', topic: 'C', sentinels: [], consensus: 'pending', outcome: 'pending' },
      ],
    });
    expect(readTable(named('positions'), text)).toEqual([
      ['d-1', 'EVE', 'support', '', ['justice', 'courage']],
    ]);
    expect(readTable(named('deliberations'), text)).toEqual([
      ['d-1', 'A', 'reached', 'B'],
      ['d-2', 'C', 'pending', 'pending'],
    ]);
  });

  test('of named members have the name, and null for what is not there', () => {
    const virtue = { score: 0.9, measure: 'm', status: 'compliant' };
    const text = JSON.stringify({ virtues: { integrity: virtue, courage: { ...virtue, score: null } } });
    expect(readTable(named('virtues'), text)).toEqual([
      ['integrity', 0.9, 'm', 'compliant'],
      ['courage', null, 'm', 'compliant'],
    ]);
  });

  test('of an inner object stand in the row itself', () => {
    const sentinel = {
      id: 'EVE',
      status: 'operational',
      uptime_days: 3,
      cathedral: 'X',
      last_heartbeat: '2026-01-01T00:00:00Z',
      performance: { gi_score: 0.97, coordination: null },
    };
    expect(
      readTable(named('sentinel_status'), JSON.stringify({ sentinels: [sentinel], alerts: [] })),
    ).toEqual([['EVE', 'operational', 3, 'X', '2026-01-01T00:00:00Z', 0.97, null]]);
  });

  test('of a CSV have types, and null for an empty cell', () => {
    const text = '2026-01-01,EVE,FOR-PHILOSOPHERS,offline,0,24.5,,\n';
    expect(readPiece(named('sentinels_by_day'), text)).toEqual([
      ['2026-01-01', 'EVE', 'FOR-PHILOSOPHERS', 'offline', 0, 24.5, null, null],
    ]);
  });

  test('are refused where a row has too few cells', () => {
    expect(() => readPiece(named('supply_by_day'), '2026-01-01,1\n')).toThrow(
      /supply-by-day\.csv: expected 5 cells, found 2/,
    );
  });
});
