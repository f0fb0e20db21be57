import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { inTurns, measure, median } from './child.ts';
import { compare, type Report } from './figure.ts';
import { withScratch } from './scratch.ts';

const EVENTS = 1_000_000;
const RUNS = 3;
const MOST_MEMORY_MB = 300;

/** Appending a million events from NDJSON, against parsing and checking them alone. */
export async function append(report: Report): Promise<void> {
  return withScratch(async (folder) => {
    const path = join(folder, 'events.ndjson');
    await pipeline(linesOf(EVENTS), createWriteStream(path));
    const ledger = join(folder, 'ledger');
    const { validated, appended } = await inTurns(RUNS, {
      validated: () => measure('append-events', ['validate', ledger, path]),
      appended: async () => {
        await mkdir(join(ledger, 'snapshots'), { recursive: true });
        const measured = await measure('append-events', ['append', ledger, path]);
        await rm(ledger, { recursive: true });
        return measured;
      },
    });
    const seconds = (all: { ms: number }[]) => median(all.map(({ ms }) => ms)) / 1000;
    const rss = Math.max(...appended.map((one) => one.rss));
    report(
      compare(
        'ledger append of 1 000 000 NDJSON events ÷ validating them',
        seconds(appended),
        seconds(validated),
        's',
        2,
      ),
      compare('its peak memory ÷ 300 MB', rss, MOST_MEMORY_MB, 'MB', 1),
    );
  });
}

const START = Date.parse('2026-10-01T00:00:00Z');
const KINDS = [
  { type: 'heartbeat', agent: 'ATLAS', data: {} },
  {
    type: 'attestation',
    agent: 'ATLAS',
    data: { apps: 9, packages: 5, workflows: 27, drift: 0.4, uptime_days: 9, gi_score: 0.97, score: 64.235 },
  },
  { type: 'heartbeat', agent: 'HERMES', data: {} },
  { type: 'mii_reading', agent: 'HERMES', data: { mii: 0.943 } },
];

function* linesOf(events: number): Generator<string> {
  for (let index = 0; index < events; index += 1) {
    const timestamp = new Date(START + index * 1000).toISOString().replace('.000', '');
    yield `${JSON.stringify({ timestamp, ...KINDS[index % KINDS.length] })}\n`;
  }
}
