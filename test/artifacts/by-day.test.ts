import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { eventsByDay } from '../../pipeline/artifacts/academics/events-by-day.ts';
import { sentinelsByDay } from '../../pipeline/artifacts/academics/sentinels-by-day.ts';
import type { HistoryArtifact, View } from '../../pipeline/artifacts/artifact.ts';
import { miiByDay } from '../../pipeline/artifacts/economy/mii-by-day.ts';
import { mintingByDay } from '../../pipeline/artifacts/economy/minting-by-day.ts';
import { supplyByDay } from '../../pipeline/artifacts/economy/supply-by-day.ts';
import { metricsByDay } from '../../pipeline/artifacts/philosophy/metrics-by-day.ts';
import { isKnownType, type LedgerEvent } from '../../pipeline/ledger/events/event.ts';
import type { Leaf } from '../../pipeline/ledger/log/leaf.ts';
import { formatAllPlaces, formatAmount, parseAmount } from '../../pipeline/model/amount.ts';
import { emptyState } from '../../pipeline/model/empty-state.ts';
import { apply } from '../../pipeline/model/fold.ts';
import { formatState, parseState, type State } from '../../pipeline/model/state.ts';
import { sampleEvents } from '../../pipeline/sample/sample-events.ts';
import { TestLedger } from '../model/events.ts';
import { naiveDrift, naiveMetrics, naiveSupply } from '../model/naive.ts';
import { historyRows } from './history-rows.ts';

type Row = Record<string, string>;
// biome-ignore lint/suspicious/noExplicitAny: the raw data, read the way a stranger would
type Raw = LedgerEvent & { data: any };

function table(artifact: HistoryArtifact, leaves: readonly Leaf[]): Row[] {
  const text = artifact.head({} as View) + historyRows([artifact], leaves)[artifact.path]!.join('');
  return parse(text, { columns: true });
}

const EVENTS: Raw[] = [...sampleEvents({ to: '2025-08-12T09:00:00Z', seed: 7 })].flatMap(
  ({ events }) => events,
);
const LEAVES: Leaf[] = EVENTS.map((event) => ({ event, hash: '0'.repeat(64) }));
const dayOf = (event: Raw) => event.timestamp.slice(0, 10);
const DAYS = [...new Set(EVENTS.map(dayOf))];
const upTo = (date: string) => EVENTS.filter((event) => dayOf(event) <= date);
const on = (date: string, type?: string) =>
  EVENTS.filter((event) => dayOf(event) === date && (type === undefined || event.type === type));

describe('a file by day, over a sample, is what the raw events give', () => {
  test('of supply, exact, and has every day but the one that is not over, newest first', () => {
    const rows = table(supplyByDay, LEAVES);
    expect(rows.map(({ date }) => date)).toEqual(DAYS.slice(0, -1).reverse());
    for (const { date, ...amounts } of rows) {
      const { total: total_supply, ...parts } = naiveSupply(upTo(date!));
      const expected = Object.entries({ total_supply, ...parts }).map(([name, micro]) => [
        name,
        formatAllPlaces(micro),
      ]);
      expect(amounts).toEqual(Object.fromEntries(expected));
    }
  });

  test('of minting', () => {
    const rows = table(mintingByDay, LEAVES);
    for (const date of DAYS.slice(0, -1)) {
      const mints = on(date, 'mic_mint');
      const cathedrals = [...new Set(mints.map(({ data }) => data.cathedral))].sort();
      const expected = cathedrals.map((cathedral) => {
        const its = mints.filter(({ data }) => data.cathedral === cathedral);
        const minted = its.reduce((sum, { data }) => sum + parseAmount(data.amount), 0n);
        return { date, cathedral, mints: String(its.length), minted: formatAllPlaces(minted) };
      });
      expect(rows.filter((row) => row.date === date)).toEqual(expected);
    }
  });

  test('of the integrity index', () => {
    for (const row of table(miiByDay, LEAVES)) {
      const readings: number[] = on(row.date!, 'mii_reading').map(({ data }) => data.mii);
      const total = Number(formatAmount(naiveSupply(upTo(row.date!)).total));
      const threshold = (95 - 2 * Math.log10(total / 1e6)) / 100;
      expect([row.readings, row.mii_min, row.mii_max, row.mii].map(Number)).toEqual([
        readings.length,
        Math.min(...readings),
        Math.max(...readings),
        readings.at(-1),
      ]);
      expect(Number(row.mii_mean)).toBeCloseTo(readings.reduce((a, b) => a + b, 0) / readings.length, 12);
      expect(Number(row.threshold)).toBeCloseTo(threshold, 12);
      expect(row.minting_active).toBe(String(readings.at(-1)! >= threshold));
    }
  });

  test('of events by type, which add up to all events of the day', () => {
    const rows = table(eventsByDay, LEAVES);
    for (const date of DAYS.slice(0, -1)) {
      const types = [...new Set(on(date).map(({ type }) => (isKnownType(type) ? type : 'other')))].sort();
      const its = rows.filter((row) => row.date === date);
      expect(its.map(({ event_type }) => event_type)).toEqual(types);
      expect(its.reduce((sum, { events }) => sum + Number(events), 0)).toBe(on(date).length);
    }
  });

  test('of the metrics', () => {
    const rows = table(metricsByDay, LEAVES);
    for (const { date, drift_score, deliberations_closed, consensus_reached, ...metrics } of rows.slice(
      0,
      40,
    )) {
      const naive = naiveMetrics(upTo(date!));
      const expected = { ...naive, drift_score: naiveDrift(upTo(date!)).score };
      for (const [name, value] of Object.entries({ ...metrics, drift_score })) {
        const number = expected[name as keyof typeof expected];
        if (number === null) expect(value, `${date} ${name}`).toBe('');
        else expect(Number(value), `${date} ${name}`).toBeCloseTo(number!, 10);
      }
      if (Number(deliberations_closed) > 0)
        expect(Number(consensus_reached) / Number(deliberations_closed)).toBeCloseTo(
          Number(metrics.consensus_rate),
          12,
        );
    }
  });

  test('of the sentinels', () => {
    for (const row of table(sentinelsByDay, LEAVES)) {
      const own = on(row.date!).filter(({ agent }) => agent === row.sentinel);
      const attested = upTo(row.date!).findLast(
        ({ type, agent }) => type === 'attestation' && agent === row.sentinel,
      );
      expect(Number(row.heartbeats)).toBe(own.filter(({ type }) => type === 'heartbeat').length);
      expect(row.coordination_score === '' ? undefined : Number(row.coordination_score)).toBe(
        attested?.data.score,
      );
    }
  });
});

describe('a sentinel’s day', () => {
  const at = (time: string) => `2025-07-${time}:00Z`;
  const registered = () =>
    new TestLedger().add(at('03T06:00'), 'sentinel_registered', 'LEDGER', {
      sentinel: 'ATLAS',
      cathedral: 'FOR-GOVERNMENTS',
    });
  const days = (ledger: TestLedger) =>
    table(sentinelsByDay, ledger.leaves).map(({ date, status, longest_silence }) => [
      date,
      status,
      longest_silence,
    ]);

  test('is as bad as its longest silence, also one that was over before the day was', () => {
    const ledger = registered();
    for (const time of ['03T06:00', '03T16:00', '04T22:00', '05T00:00', '05T11:59', '05T23:59', '06T00:00'])
      ledger.add(at(time), 'heartbeat', 'ATLAS', {});
    expect(days(ledger)).toEqual([
      ['2025-07-05', 'operational', '12.0'],
      ['2025-07-04', 'offline', '30.0'],
      ['2025-07-03', 'operational', '10.0'],
    ]);
  });

  test('before the first heartbeat has no status and no silence, and its first heartbeat ends no outage', () => {
    const ledger = registered();
    for (const time of ['04T03:00', '05T03:00']) ledger.add(at(time), 'mii_reading', 'MII', { mii: 0.9 });
    for (const time of ['06T18:00', '07T00:00']) ledger.add(at(time), 'heartbeat', 'ATLAS', {});
    expect(days(ledger)).toEqual([
      ['2025-07-06', 'operational', '6.0'],
      ['2025-07-05', 'no_heartbeat_yet', ''],
      ['2025-07-04', 'no_heartbeat_yet', ''],
      ['2025-07-03', 'no_heartbeat_yet', ''],
    ]);
  });

  test('without any sign of life counts from the last one before it', () => {
    const ledger = registered().add(at('03T06:00'), 'heartbeat', 'ATLAS', {});
    for (const time of ['04T03:00', '05T03:00', '06T03:00'])
      ledger.add(at(time), 'mii_reading', 'MII', { mii: 0.9 });
    expect(days(ledger)).toEqual([
      ['2025-07-05', 'offline', '66.0'],
      ['2025-07-04', 'offline', '42.0'],
      ['2025-07-03', 'degraded', '18.0'],
    ]);
  });

  test('is the last one on the day of its retirement, and counts up to that', () => {
    const ledger = registered()
      .add(at('03T06:00'), 'heartbeat', 'ATLAS', {})
      .add(at('04T05:00'), 'sentinel_retired', 'LEDGER', { sentinel: 'ATLAS' });
    for (const time of ['05T00:00', '06T00:00']) ledger.add(at(time), 'mii_reading', 'MII', { mii: 0.9 });
    expect(days(ledger)).toEqual([
      ['2025-07-04', 'degraded', '23.0'],
      ['2025-07-03', 'degraded', '18.0'],
    ]);
  });
});

test('a run that goes on in the middle of a day gives the rows that one run gives', () => {
  const artifacts = [supplyByDay, mintingByDay, miiByDay, sentinelsByDay, eventsByDay, metricsByDay];
  const rows = (state: State) => artifacts.flatMap((artifact) => artifact.dayRows!(state));
  const end = LEAVES.findIndex(({ event }) => event.timestamp >= '2025-07-20');
  const whole = LEAVES.slice(0, end).reduce(apply, emptyState());
  const half = LEAVES.slice(0, end - 57).reduce(apply, emptyState());
  const resumed = LEAVES.slice(end - 57, end).reduce(apply, parseState(JSON.parse(formatState(half))));
  expect(rows(resumed)).toEqual(rows(whole));
});
