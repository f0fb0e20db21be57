import { describe, expect, test } from 'vitest';
import { deliberationArchive } from '../../pipeline/artifacts/philosophy/deliberation-archive.ts';
import type { EventOf } from '../../pipeline/ledger/event.ts';
import { emptyState } from '../../pipeline/model/state.ts';
import { fixtureLedger } from '../site/fixture-ledger.ts';
import { historyRows } from './history-rows.ts';

const { leaves } = fixtureLedger();
const events = leaves.map(({ event }) => event);
const lastDay = events.at(-1)!.timestamp.slice(0, 10);
const view = { state: emptyState(), documents: {} as never, companions: {} as never, baseUrl: '' };

function archive() {
  const rows = historyRows([deliberationArchive], leaves)[deliberationArchive.path]!;
  const text =
    deliberationArchive.head(view) + rows.join(deliberationArchive.separator) + deliberationArchive.tail;
  return deliberationArchive.schema.parse(JSON.parse(text)).deliberations;
}

/** What the events say, read without the fold. */
function closedByTheLedger() {
  const of = <T extends Parameters<typeof isOf>[1]>(type: T) =>
    events.filter((event) => isOf(event, type)) as unknown as EventOf<T>[];
  const isOf = (
    event: (typeof events)[number],
    type: 'deliberation_opened' | 'position_taken' | 'deliberation_closed',
  ) => event.type === type;
  return of('deliberation_closed')
    .filter(({ timestamp }) => timestamp.slice(0, 10) < lastDay)
    .reverse()
    .map(({ timestamp, data }) => {
      const opened = of('deliberation_opened').find((one) => one.data.deliberation === data.deliberation)!;
      const sentinels = of('position_taken')
        .filter((one) => one.data.deliberation === data.deliberation && one.timestamp <= timestamp)
        .map(({ agent }) => agent);
      return {
        id: data.deliberation,
        closed: timestamp,
        opened: opened.timestamp,
        sentinels: [...new Set(sentinels)].sort(),
      };
    });
}

describe('the archive of deliberations', () => {
  test('has every one that was closed on a day that is over, the last closed first', () => {
    const found = archive().map(({ id, closed, opened, sentinels }) => ({
      id,
      closed,
      opened,
      sentinels: sentinels.map((one) => one.id).sort(),
    }));
    expect(found).toEqual(closedByTheLedger());
    expect(found.length).toBeGreaterThan(10);
    // Longer ago than deliberations.json looks back.
    expect(Date.parse(lastDay) - Date.parse(found.at(-1)!.closed)).toBeGreaterThan(200 * 86_400_000);
  });

  test('is a JSON file where nothing has been closed', () => {
    expect(JSON.parse(deliberationArchive.head(view) + deliberationArchive.tail).deliberations).toEqual([]);
  });
});
