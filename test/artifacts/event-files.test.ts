import { expect, test } from 'vitest';
import type { View } from '../../pipeline/artifacts/artifact.ts';
import { readDocuments } from '../../pipeline/artifacts/documents.ts';
import { FILES_OF_EVERY_EVENT } from '../../pipeline/artifacts/event-files.ts';
import { filesOf as filesStated } from '../../pipeline/artifacts/event-reference.ts';
import { ARTIFACTS, DOCUMENTS, HISTORIES, YEARLY } from '../../pipeline/artifacts/table.ts';
import { KNOWN_TYPES, type LedgerEvent } from '../../pipeline/ledger/events/event.ts';
import { EXAMPLE_LEDGER } from '../../pipeline/ledger/events/event-examples.ts';
import { emptyState } from '../../pipeline/model/empty-state.ts';
import { apply } from '../../pipeline/model/fold.ts';
import { reward } from '../../pipeline/model/formulas.ts';
import { isNewDay } from '../../pipeline/model/period.ts';
import type { State } from '../../pipeline/model/state.ts';
import { DEMO_COMPANIONS } from '../attestation/demo-companions.ts';
import { TestLedger } from '../model/events.ts';

const documents = await readDocuments(new URL('../../data/documents', import.meta.url).pathname);
const mint = (sentinel: string, cathedral: 'FOR-GOVERNMENTS' | 'FOR-ECONOMISTS', multiplier: number) => ({
  sentinel,
  cathedral,
  coordination_score: 20,
  multiplier,
  amount: reward(20, multiplier).toFixed(6),
});

/** The examples, and what it takes for each to show in every file that depends on it. */
const LEDGER = [
  ...EXAMPLE_LEDGER,
  ...new TestLedger()
    // An outage ends, which starts the uptime again.
    .add('2025-12-20T06:00:00Z', 'heartbeat', 'ATLAS', {})
    .add('2025-12-21T06:00:00Z', 'heartbeat', 'ATLAS', {})
    .add('2025-12-22T06:00:00Z', 'heartbeat', 'ATLAS', {})
    .add('2025-12-21T00:00:00Z', 'sentinel_registered', 'LEDGER', {
      sentinel: 'AUREA',
      cathedral: 'FOR-ECONOMISTS',
    })
    .add('2025-12-21T00:00:00Z', 'mic_mint', 'MINT', mint('AUREA', 'FOR-ECONOMISTS', 1.25))
    .add('2026-01-11T00:00:00Z', 'policy_projected', 'POLICY', {
      policy: 'A risk without a mitigation',
      economic_impact: { debt_reduction_annual: '', gdp_impact: '', job_creation: '' },
      social_impact: { access_improvement: '', equity_impact: '', transparency: '' },
      risks: [{ risk: 'a', severity: 'b', mitigation: '' }],
      timeline: '',
    })
    .add('2026-01-11T01:00:00Z', 'deliberation_opened', 'COUNCIL', {
      deliberation: 'd-2',
      topic: 'A question',
    })
    .add('2026-01-11T02:00:00Z', 'position_taken', 'ATLAS', {
      deliberation: 'd-2',
      position: 'oppose',
      reasoning: 'For a reason.',
      virtue_tags: [],
    })
    .add('2026-01-12T01:00:00Z', 'alert_raised', 'WATCH', {
      alert: 'a',
      severity: 'warning',
      scope: 'drift',
      message: 'It drifts.',
    })
    .add('2026-01-12T02:00:00Z', 'alert_cleared', 'WATCH', { alert: 'a' })
    .add('2026-01-21T01:00:00Z', 'heartbeat', 'AUREA', {})
    .add('2026-01-21T01:00:00Z', 'heartbeat', 'ATLAS', {})
    .add('2026-01-21T02:00:00Z', 'mic_mint', 'MINT', mint('ATLAS', 'FOR-GOVERNMENTS', 1.5))
    // Between the threshold of the supply without the mints and that with them.
    .add('2026-01-21T03:00:00Z', 'mii_reading', 'MII', { mii: 0.949997 })
    .add('2026-01-21T04:00:00Z', 'mii_reading', 'MII', { mii: 0.5 })
    // After the retirement, days that are over.
    .add('2026-01-31T01:00:00Z', 'heartbeat', 'AUREA', {})
    .add('2026-01-31T02:00:00Z', 'mii_reading', 'MII', { mii: 0.99 })
    .add('2026-02-01T02:00:00Z', 'heartbeat', 'AUREA', {})
    .leaves.map(({ event }) => event),
].sort((a, b) => (a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0));

const viewOf = (state: State): View => ({
  state,
  documents,
  companions: DEMO_COMPANIONS,
  baseUrl: 'https://data.example.org',
});

/** What the files say after each event, without what they say of contradictions. Not after one of the type `extra`. */
function contentsOver(events: readonly LedgerEvent[]): Map<string, string> {
  const texts = new Map<string, string>();
  const add = (path: string, text: string) => texts.set(path, (texts.get(path) ?? '') + text);
  let state = emptyState();
  for (const event of events) {
    const leaf = { event, hash: '0'.repeat(64) };
    const isDayOver = isNewDay(state, event.timestamp);
    for (const { path, dayRows } of HISTORIES) if (isDayOver) add(path, (dayRows?.(state) ?? []).join(''));
    state = apply(state, leaf);
    state.findings = { total: 0, recent: [] };
    for (const artifact of HISTORIES) add(artifact.path, artifact.rows(leaf).join(''));
    if (event.type === 'extra') continue;
    for (const artifact of [...DOCUMENTS, ...YEARLY])
      if (!WRITTEN.has(artifact.path) || event === events.at(-1))
        add(artifact.path, artifact.render(viewOf(state), false));
  }
  return texts;
}

/** Files written by people. Rendering them takes most of the time, so only the last event does it. */
const WRITTEN = new Set([
  'academics/papers.json',
  'academics/citations.bib',
  ...ARTIFACTS.filter(({ area }) => area === 'diplomacy').map(({ path }) => path),
]);

function changesTo(events: readonly LedgerEvent[]): string[] {
  const texts = contentsOver(events);
  return [...ALL].filter(([path, text]) => texts.get(path) !== text).map(([path]) => path);
}

const ALL = contentsOver(LEDGER);

/** The files that would be different with events of an unknown type in place of those of a known one, at the same times. */
const filesOf = (type: string) =>
  changesTo(LEDGER.map((event) => (event.type === type ? { ...event, type: 'unknown_type' } : event)));

/** Nothing follows from this type, so these files only say that there was an event of a type. */
const NAMING = filesOf('cycle_opened');

test('an event of any type changes the files that the reference names for all types', () => {
  const [first, ...rest] = LEDGER;
  const changed = changesTo([first!, { ...first!, type: 'extra' }, ...rest]);
  expect(changed.sort()).toEqual([...FILES_OF_EVERY_EVENT].sort());
  expect(FILES_OF_EVERY_EVENT).toEqual(expect.arrayContaining(NAMING));
});

test.each(KNOWN_TYPES)('%s changes the files that the reference names', (type) => {
  const changed = filesOf(type).filter((path) => !NAMING.includes(path));
  expect(changed.sort()).toEqual(filesStated(type).sort());
});
