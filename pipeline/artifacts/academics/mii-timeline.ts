import * as z from 'zod/mini';
import type { State } from '../../model/state.ts';
import { within } from '../../model/window.ts';
import type { DocumentArtifact } from '../artifact.ts';
import { count, cycle, dateTime, share } from '../fields.ts';
import { formatCsv } from '../format/csv.ts';

const path = 'academics/mii-timeline.csv';

const schema = z.strictObject({
  timestamp: dateTime('Time of the reading, UTC'),
  mii_score: share('Integrity index'),
  cycle,
  sentinel_count: count('Sentinels registered and not retired at the time of the reading'),
});

function newestFirst(state: State) {
  return within(state.readings, state.asOf, (reading) => reading.timestamp)
    .map(({ timestamp, mii, cycle, sentinel_count }) => ({
      timestamp,
      mii_score: mii,
      cycle,
      sentinel_count,
    }))
    .reverse();
}

export const miiTimeline = {
  kind: 'document',
  path,
  area: 'academics',
  title: 'MII timeline',
  description: 'Every reading of the integrity index in the last thirty days, newest first.',
  limits: [
    'It holds a window of thirty days, so old rows leave it. For all days since genesis, use mii-by-day.csv.',
    'Readings need not be evenly spaced.',
  ],
  followsFrom: ['sentinel_registered', 'sentinel_retired', 'mii_reading'],
  mediaType: 'text/csv; charset=utf-8; header=present',
  restricted: false,
  refresh: 'release',
  schema,
  tables: [{ name: 'mii_timeline', key: [] }],
  render: ({ state }) => formatCsv(schema, newestFirst(state), path),
  rows: ({ state }) => newestFirst(state).length,
} satisfies DocumentArtifact;
