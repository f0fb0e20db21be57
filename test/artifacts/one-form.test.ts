import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import type { Artifact } from '../../pipeline/artifacts/artifact.ts';
import { fieldsOf } from '../../pipeline/artifacts/data-dictionary.ts';
import { ARTIFACTS } from '../../pipeline/artifacts/table.ts';
import type { Leaf } from '../../pipeline/ledger/log/leaf.ts';
import { sampleEvents } from '../../pipeline/sample/sample-events.ts';
import { chartFiles } from '../charts/chart-files.ts';
import { smallLedger } from '../charts/small-ledger.ts';
import { TestLedger } from '../model/events.ts';
import { assertOneForm } from './one-form.ts';

/** An own ledger: whole numbers for months, then decimals; the smallest and the largest that are allowed. */
function ownLedger(): TestLedger {
  const ledger = new TestLedger();
  const at = (day: number, time: string) =>
    `${new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10)}T${time}:00Z`;
  const multipliers = { 'FOR-GOVERNMENTS': 2, 'FOR-ECONOMISTS': 1 };
  ledger.add(at(0, '00:00'), 'genesis', 'LEDGER', { allocation: '1000', multipliers });
  const cathedral = 'FOR-GOVERNMENTS' as const;
  ledger.add(at(0, '00:01'), 'sentinel_registered', 'LEDGER', { sentinel: 'NA', cathedral });
  for (let day = 0; day < 150; day += 1) {
    const isLate = day > 120;
    const score = isLate ? 0.0000001 : 100;
    ledger.add(at(day, '01:00'), 'attestation', 'NA', {
      ...{ apps: 1, packages: 1, workflows: 1, drift: 0, uptime_days: 1 },
      gi_score: isLate ? 0.125 : 1,
      score,
    });
    ledger.add(at(day, '02:00'), 'mii_reading', 'MII', { mii: isLate ? 0.951 : 1 });
    const mint = { sentinel: 'NA', cathedral, coordination_score: score, multiplier: isLate ? 1.25 : 2 };
    ledger.add(at(day, '03:00'), 'mic_mint', 'LEDGER', { ...mint, amount: isLate ? '0.000001' : '1000' });
    ledger.add(at(day, '04:00'), 'heartbeat', 'NA', {});
    const setting = { cathedral, multiplier: isLate ? 1.25 : 2, reason: 'trial' };
    ledger.add(at(day, '05:00'), 'multiplier_set', 'LEDGER', setting);
  }
  return ledger;
}

const sample: Leaf[] = [...sampleEvents({ to: '2025-09-05T09:00:00Z', seed: 3 })].flatMap(({ events }) =>
  events.map((event) => ({ event, hash: '0'.repeat(64) })),
);
const LEDGERS: Record<string, readonly Leaf[]> = {
  demo: sample,
  small: smallLedger(60).leaves,
  own: ownLedger().leaves,
};

const formOf = ({ type, unit }: { type: string; unit: string }) => {
  if (/^integer/.test(type)) return 'integer';
  if (/^number/.test(type)) return unit.startsWith('MIC') ? 'amount' : 'decimal';
  return undefined;
};

test.each(Object.entries(LEDGERS))(
  'each column of a CSV of the %s ledger has the form of its type',
  (_, leaves) => {
    const files = chartFiles(leaves);
    const tables = ARTIFACTS.filter(
      ({ path, mediaType }) => path in files && mediaType.startsWith('text/csv'),
    );
    expect(tables.length).toBeGreaterThan(6);
    for (const artifact of tables as Artifact[]) {
      const rows: Record<string, string>[] = parse(files[artifact.path]!, { columns: true });
      expect(rows.length, artifact.path).toBeGreaterThan(0);
      for (const field of fieldsOf(artifact))
        assertOneForm(
          rows.map((row) => row[field.name]!),
          `${artifact.path} ${field.name}`,
          formOf(field),
        );
    }
  },
);
