import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  OpenedSite,
  type PageList,
  pageListsUrl,
  SERVER_ENTRY,
  type SiteHandler,
} from '../../pipeline/build/site/open-program.ts';
import { SiteRelease } from '../../src/site/layout/release.ts';
import type { ArchiveFolder } from '../../src/site/records/archives.ts';
import { decisionAfter, deliberationBefore, otherDecisions } from '../../src/site/records/archives.ts';
import { decisionRecords } from '../../src/site/records/decisions.ts';
import { deliberationRecords } from '../../src/site/records/deliberations.ts';
import { TestLedger } from '../model/events.ts';
import { ORGANISATION } from '../organisation.ts';
import { useFolder } from '../setups/use-folder.ts';
import { buildFixture } from './build-fixture.ts';
import { BASE_URL, writeFixtureRelease } from './fixture-release.ts';

const FOLDERS: readonly ArchiveFolder[] = ['decisions', 'deliberations'];
const facts = { baseUrl: BASE_URL, organisation: ORGANISATION };

const scratch = useFolder();

/** A ledger in the making, at a time. */
class Growing {
  readonly ledger = new TestLedger();
  readonly open = new Set<string>();
  readonly sentinels = new Set<string>();
  time = Date.parse('2025-12-28T05:00:00Z');

  /** The same until a pause, so that releases may have the same time. */
  get now(): string {
    return `${new Date(this.time).toISOString().slice(0, 19)}Z`;
  }
}

/** Each renders some hundred pages, of another ledger each time. */
const RUNS = { numRuns: 40 };
const RUNS_MS = 20 * 60_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Of the first ones, some share an address but for what tells them apart; the others are many, so that most pages stay as they are. */
const IDS = ['d-1', 'D-1', 'd 1', 'e', ...Array.from({ length: 12 }, (_, index) => `f-${index}`)];
const TOPICS = [
  'Whether to wait',
  'Review of d-1: whether to wait',
  ...Array.from({ length: 12 }, (_, index) => `Question ${index}`),
];
/** Names of things that are there, are not, or will be. */
const TEXT = 'As D-1, d-1 and e say, ATLAS and HERMES met on C-178, C-181 and C-183.';
const SENTINELS = ['ATLAS', 'HERMES', 'atlas'];

const id = fc.constantFrom(...IDS);
/** Of ids that differ in case alone, the first to be archived gets the plain address, which an open one may have had: not tried here. */
const deliberationId = fc.constantFrom('D-1', 'd 1', 'e', 'g-1', 'g-2', 'g-3', 'g-4');
const topic = fc.constantFrom(...TOPICS);
const sentinel = fc.constantFrom(...SENTINELS);

const STEP = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ id, topic }).map(({ id: decision, topic }) => (to: Growing) => {
      const more = { frameworks_applied: ['care'], sentinels_involved: SENTINELS, lessons_learned: '' };
      const data = { decision, topic, reasoning: TEXT, outcome: TEXT, ...more };
      to.ledger.add(to.now, 'decision_recorded', 'ATLAS', data);
    }),
  },
  {
    weight: 3,
    arbitrary: fc
      .record({ id: deliberationId, topic, sentinel })
      .map(({ id: deliberation, topic, sentinel }) => (to: Growing) => {
        if (to.open.has(deliberation)) {
          to.open.delete(deliberation);
          const data = { deliberation, consensus: 'reached' as const, outcome: TEXT };
          to.ledger.add(to.now, 'deliberation_closed', 'ATLAS', data);
          return;
        }
        to.open.add(deliberation);
        const position = { position: 'oppose' as const, reasoning: TEXT, virtue_tags: [] };
        to.ledger
          .add(to.now, 'deliberation_opened', 'ATLAS', { deliberation, topic })
          .add(to.now, 'position_taken', sentinel, { deliberation, ...position });
      }),
  },
  {
    weight: 1,
    arbitrary: sentinel.map((sentinel) => (to: Growing) => {
      if (to.sentinels.delete(sentinel)) to.ledger.add(to.now, 'sentinel_retired', 'LEDGER', { sentinel });
      else {
        to.sentinels.add(sentinel);
        to.ledger.add(to.now, 'sentinel_registered', 'LEDGER', { sentinel, cathedral: 'FOR-ACADEMICS' });
      }
    }),
  },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(HOUR, 6 * HOUR, DAY, DAY, 3 * DAY, 40 * DAY, 100 * DAY)
      .map((pause) => (to: Growing) => {
        to.time += pause;
        to.ledger.add(to.now, 'mii_reading', 'ATLAS', { mii: 0.96 });
      }),
  },
);

interface RenderedArchive {
  timestamp: string;
  pages: Map<string, string>;
  /** Addresses of the pages that may have changed since another release. */
  touched: Set<string>;
}

/** The archive pages of a release by address. */
async function renderArchive(
  handler: SiteHandler,
  ledger: TestLedger,
  name: string,
  before: RenderedArchive | null,
): Promise<RenderedArchive> {
  const dir = join(scratch, name);
  await mkdir(dir);
  const draft = await writeFixtureRelease(dir, ledger);
  const site = new OpenedSite(handler, dir, facts);
  const pages = new Map<string, string>();
  const touched = new Set<string>();
  const lists = JSON.parse(String((await site.render(pageListsUrl(before?.timestamp ?? null))).body));
  for (const folder of FOLDERS) {
    const list = (lists as PageList[]).find(({ kind }) => kind === `/${folder}/[id]`)!;
    for (const path of list.touched!) touched.add(path);
    for (const path of list.paths) {
      const { status, body } = await site.render(path);
      expect([path, status]).toEqual([path, 200]);
      pages.set(path, Buffer.from(body).toString());
    }
  }
  await rm(dir, { recursive: true });
  return { timestamp: draft.timestamp, pages, touched };
}

describe('the pages of an archive', { timeout: RUNS_MS }, () => {
  test('change from release to release only where the new records touch them, whatever a ledger holds', async () => {
    const place = join((await buildFixture()).release, SERVER_ENTRY);
    const { handler } = (await import(/* @vite-ignore */ place)) as { handler: SiteHandler };
    let releases = 0;
    const snapshots = fc.array(fc.array(STEP, { minLength: 2, maxLength: 8 }), {
      minLength: 6,
      maxLength: 9,
    });
    const seen = { kept: 0, touched: 0, changed: 0 };
    await fc.assert(
      fc.asyncProperty(snapshots, async (steps) => {
        const growing = new Growing();
        const genesis = { allocation: '1000', multipliers: { 'FOR-ACADEMICS': 1 } };
        growing.ledger.add(growing.now, 'genesis', 'LEDGER', genesis);
        let before: RenderedArchive | null = null;
        for (const step of steps) {
          for (const act of step) act(growing);
          releases += 1;
          const after = await renderArchive(handler, growing.ledger, `${releases}`, before);
          for (const [path, html] of before?.pages ?? []) {
            expect(after.pages.has(path), `${path} is gone`).toBe(true);
            const isSame = after.pages.get(path) === html;
            const isTouched = after.touched.has(path);
            if (!isTouched) expect(after.pages.get(path), path).toBe(html);
            seen[!isTouched ? 'kept' : isSame ? 'touched' : 'changed'] += 1;
          }
          for (const path of after.touched) expect(after.pages.has(path), path).toBe(true);
          before = after;
        }
      }),
      RUNS,
    );
    // How many are touched in vain follows from the ledgers; where all are, none is kept.
    expect(seen.kept).toBeGreaterThan(seen.touched / 2);
  });
});

test('the page of an open deliberation says that it cannot be cited yet', async () => {
  const place = join((await buildFixture()).release, SERVER_ENTRY);
  const { handler } = (await import(/* @vite-ignore */ place)) as { handler: SiteHandler };
  const ledger = new TestLedger()
    .add('2025-12-01T00:00:00Z', 'genesis', 'LEDGER', { allocation: '1000', multipliers: {} })
    .add('2025-12-02T00:00:00Z', 'deliberation_opened', 'ATLAS', { deliberation: 'd-1', topic: 'T' });
  const { pages } = await renderArchive(handler, ledger, 'open', null);
  expect(pages.get('/deliberations/d-1/')).toContain('Once it is, its page can be cited.');
});

/** The release of a ledger, which `add` extends after genesis. */
async function releaseOf(name: string, add: (to: TestLedger) => void): Promise<SiteRelease> {
  const dir = join(scratch, name);
  await mkdir(dir);
  const ledger = new TestLedger();
  const genesis = { allocation: '1000', multipliers: { 'FOR-ACADEMICS': 1 } };
  add(ledger.add('2025-12-01T00:00:00Z', 'genesis', 'LEDGER', genesis));
  await writeFixtureRelease(dir, ledger);
  return new SiteRelease(dir, facts);
}

test('a decision follows the last deliberation on its topic, and lists ten decisions on either side', async () => {
  const decide = (to: TestLedger, day: number, topic = 'T') =>
    to.add(`2026-01-${String(day).padStart(2, '0')}T05:00:00Z`, 'decision_recorded', 'ATLAS', {
      ...{ decision: `dec-${day}`, topic, reasoning: '', outcome: '', lessons_learned: '' },
      ...{ frameworks_applied: [], sentinels_involved: [] },
    });
  const deliberate = (to: TestLedger, deliberation: string, days: [string, string]) =>
    to
      .add(`2026-01-${days[0]}T01:00:00Z`, 'deliberation_opened', 'ATLAS', { deliberation, topic: 'T' })
      .add(`2026-01-${days[1]}T02:00:00Z`, 'deliberation_closed', 'ATLAS', {
        ...{ deliberation, consensus: 'reached', outcome: '' },
      });
  const release = await releaseOf('questions', (ledger) => {
    decide(ledger, 1);
    deliberate(ledger, 'early', ['02', '02']);
    for (let day = 2; day <= 25; day += 1) decide(ledger, day, day === 2 ? 'Review of x: t' : 'T');
    deliberate(ledger, 'last', ['26', '26']);
    ledger.add('2026-01-27T00:00:00Z', 'deliberation_opened', 'ATLAS', { deliberation: 'open', topic: 'T' });
  });
  const decision = (day: number) => decisionRecords(release).entries[day - 1]!;
  const [early, last, open] = deliberationRecords(release).entries;
  expect(deliberationBefore(release, decision(1))).toBeNull();
  // The day of its closing, but another topic.
  expect(deliberationBefore(release, decision(2))).toBeNull();
  expect(deliberationBefore(release, decision(25))).toBe(early);
  expect(decisionAfter(release, early!)).toBe(decision(3));
  expect([last, open].map((one) => decisionAfter(release, one!))).toEqual([null, null]);
  const days = ({ earlier, later }: ReturnType<typeof otherDecisions>) =>
    [earlier, later].map((some) => some.map(({ date }) => Number(date.slice(8))));
  expect(days(otherDecisions(release, decision(12)))).toEqual([
    [2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    [13, 14, 15, 16, 17, 18, 19, 20, 21, 22],
  ]);
  expect(days(otherDecisions(release, early!))).toEqual([[1], [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]]);
  expect(days(otherDecisions(release, open!))).toEqual([[16, 17, 18, 19, 20, 21, 22, 23, 24, 25], []]);
});
