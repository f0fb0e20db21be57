import { describe, expect, test } from 'vitest';
import { fieldsOf } from '../../pipeline/artifacts/data-dictionary.ts';
import { ARTIFACTS } from '../../pipeline/artifacts/table.ts';
import { formPath, TABLES, timeColumn } from '../../pipeline/forms/tables.ts';

describe('the tables', () => {
  test('have names that are plain in SQL and in a path, one each', () => {
    const names = TABLES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
    const paths = TABLES.map((table) => formPath(table, '.xlsx'));
    expect(new Set(paths).size).toBe(paths.length);
  });

  test('never take what a file of the table of artifacts has', () => {
    const taken = new Set(ARTIFACTS.map(({ path }) => path));
    for (const form of ['.ndjson', '.xlsx', '-2026.parquet'])
      expect(TABLES.map((table) => formPath(table, form)).filter((path) => taken.has(path))).toEqual([]);
  });

  test('of a history are at its path, but for the ending', () => {
    for (const table of TABLES.filter(({ grows }) => grows))
      expect(formPath(table, '.ndjson')).toBe(table.artifact.path.replace(/\.[a-z]+$/, '.ndjson'));
  });

  test('are public, each of them', () => {
    expect(TABLES.filter(({ artifact }) => artifact.restricted)).toEqual([]);
  });

  // Lists of a yearly file repeat numbers of other files.
  test('cover every public CSV, and every public JSON file with a list of objects', () => {
    const covered = new Set(TABLES.map(({ artifact }) => artifact.path));
    const expected = ARTIFACTS.filter((artifact) => {
      if (artifact.restricted || artifact.kind === 'yearly') return false;
      if (artifact.mediaType.startsWith('text/csv')) return true;
      return fieldsOf(artifact).some(
        ({ name, type }) => /array of object/.test(type) || name.endsWith('.<name>'),
      );
    });
    expect(expected.map(({ path }) => path).filter((path) => !covered.has(path))).toEqual([]);
  });

  test.each(TABLES.map((table) => [table.name, table] as const))(
    '%s has columns, and a key among them',
    (_, table) => {
      const names = table.columns.map(({ name }) => name);
      expect(names.length).toBeGreaterThan(1);
      expect(new Set(names).size).toBe(names.length);
      expect(names).toEqual(expect.arrayContaining([...table.key, ...Object.keys(table.references)]));
      for (const { description, name } of table.columns) expect(description, name).not.toBe('');
      expect(table.description).not.toBe('');
      for (const target of Object.values(table.references))
        expect(TABLES.find(({ name }) => name === target)?.key).toHaveLength(1);
      if (table.grows) expect(table.columns[timeColumn(table)]?.nullable).toBe(false);
    },
  );

  test('have the types that the data dictionary tells', () => {
    const types = (name: string) =>
      Object.fromEntries(
        TABLES.find((table) => table.name === name)!.columns.map(({ name, type }) => [name, type]),
      );
    expect(types('mic_history')).toEqual({
      timestamp: 'datetime',
      cycle: 'text',
      sentinel: 'text',
      amount: 'decimal',
      cathedral: 'text',
      coordination_score: 'number',
    });
    expect(types('mii_by_day')).toMatchObject({
      date: 'date',
      readings: 'integer',
      minting_active: 'boolean',
    });
    expect(types('decisions')).toMatchObject({ frameworks_applied: 'list', reasoning: 'text' });
    expect(types('sentinel_status')).toMatchObject({ performance_gi_score: 'number' });
  });
});
