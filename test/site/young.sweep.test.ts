import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { AREAS } from '../../pipeline/artifacts/artifact.ts';
import { filesOf } from '../../pipeline/artifacts/event-reference.ts';
import { missingSentences } from '../../pipeline/charts/chart.ts';
import { DEFAULT_STATE } from '../../pipeline/charts/chart-state.ts';
import { CHARTS } from '../../pipeline/charts/table.ts';
import type { KnownType } from '../../pipeline/ledger/events/event.ts';
import { emptyState } from '../../pipeline/model/empty-state.ts';
import { apply } from '../../pipeline/model/fold.ts';
import { consensusRate } from '../../pipeline/model/queries/consensus-rate.ts';
import { averageCoordination } from '../../pipeline/model/queries/coordination.ts';
import { drift } from '../../pipeline/model/queries/drift.ts';
import { systemHealth } from '../../pipeline/model/queries/health.ts';
import { thresholdOf } from '../../pipeline/model/queries/supply.ts';
import { virtueScores } from '../../pipeline/model/queries/virtues.ts';
import type { State } from '../../pipeline/model/state.ts';
import { listTree } from '../../pipeline/release/disk/list-tree.ts';
import { SiteRelease } from '../../src/site/layout/release.ts';
import { AREA_FIGURES, HOME_FIGURES } from '../../src/site/portals/figures.ts';
import { AREA_SUMMARY } from '../../src/site/portals/standing.ts';
import { assertDrawn } from '../charts/drawing.ts';
import { ORGANISATION } from '../organisation.ts';
import { buildOver } from './build-fixture.ts';
import { BASE_URL, writeFixtureRelease } from './fixture-release.ts';
import { YOUNG_LEDGERS, type YoungLedger } from './young-ledgers.ts';

const LEDGERS = Object.keys(YOUNG_LEDGERS) as YoungLedger[];
const FIRST_DAY = Date.parse('2026-10-01');

const stateOf = (name: YoungLedger) => YOUNG_LEDGERS[name]().leaves.reduce(apply, emptyState());
const countOf = (state: State, type: KnownType) => state.events_by_type[type] ?? 0;

/** A folder in which the organisation has written nothing but its settings. */
const noDocuments = await mkdtemp(join(tmpdir(), 'cathedral-no-documents-'));
await cp('data/documents/organisation.json', join(noDocuments, 'organisation.json'));
afterAll(() => rm(noDocuments, { recursive: true }));

async function releaseOf(name: YoungLedger): Promise<SiteRelease> {
  const folder = await mkdtemp(join(tmpdir(), 'cathedral-young-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFixtureRelease(folder, YOUNG_LEDGERS[name](), noDocuments);
  return new SiteRelease(folder, { baseUrl: BASE_URL, organisation: ORGANISATION });
}

/** What a text says of a number that does not exist, of one thing as of several, or of a document that nobody has written. */
const NONSENSE =
  /\b0 (articles|obligations|signatures|clauses|standards|protocols|steps|papers)\b|\bNaN\b|\bundefined\b|\bInfinity\b|\[object|\b0 of 0\b|\b1 (events|days|mints|sentinels|deliberations|decisions|rows|entries|readings|times)\b/;

/** Days before the ledger began, in words: `3 September 2026`. */
function daysBefore(text: string): string[] {
  const days = text.match(
    /\b\d{1,2} (January|February|March|April|May|June|July|August|September|October|November|December) \d{4}\b/g,
  );
  return (days ?? []).filter((day) => Date.parse(`${day} UTC`) < FIRST_DAY);
}

describe.each(LEDGERS)('a ledger of %s', (name) => {
  const state = stateOf(name);

  test('has charts that show its events, and others that say what they wait for', async () => {
    const release = await releaseOf(name);
    for (const chart of CHARTS) {
      const opened = chart.open(release);
      const missing = opened.missing();
      const counts = (missing?.types ?? []).map((type) => countOf(state, type));
      const hasWholeDay = state.asOf.slice(0, 10) > state.since.slice(0, 10);
      // A chart without data lacks events of its types, or has had no time.
      if (missing)
        expect(
          counts.includes(0) || chart.id === 'drift' || (missing.wholeDays && !hasWholeDay),
          chart.id,
        ).toBe(true);
      const { title, summary: sentences, note, draw } = opened.show(DEFAULT_STATE);
      if (missing) expect(sentences).toEqual(missingSentences(missing));
      for (const type of missing?.types ?? [])
        expect(
          filesOf(type).some((path) => chart.sources.includes(path)) || type === 'policy_projected',
          `${chart.id}, ${type}`,
        ).toBe(true);
      for (const width of [280, 780]) {
        const svg = draw({ width, theme: 'light' });
        assertDrawn(svg, `${name}, ${chart.id}`);
        // Only a line of two points or more, an area, a bar or a dot shows anything.
        const marks = svg.match(/<(circle|rect|path) [^>]*(fill|stroke)="#(?!fcfaf5|ddd8cb)/g) ?? [];
        expect(marks.length > 0, `${name}, ${chart.id}`).toBe(missing === null);
      }
      const said = [title, ...sentences, note].join(' ');
      expect(said, chart.id).not.toMatch(NONSENSE);
      expect(daysBefore(said), chart.id).toEqual([]);
    }
  });

  test('has figures where the model has a number, and elsewhere the event types that bring one', async () => {
    const release = await releaseOf(name);
    const figures = [...HOME_FIGURES, ...Object.values(AREA_FIGURES).flat()].map((read) => read(release));
    const virtues = Object.values(virtueScores(state));
    const active = Object.values(state.sentinels).filter(({ retired_at }) => retired_at === null);
    const measured: Record<string, boolean> = {
      'Integrity index': state.mii !== null,
      Threshold: thresholdOf(state.supply.total) !== null,
      'Mean coordination': averageCoordination(state) !== null,
      'Consensus rate': consensusRate(state) !== null,
      'Five virtues': virtues.some((score) => score !== null),
      'Drift score': drift(state).drift_score !== null,
      'System health': systemHealth(state) !== 'not_measured',
      Operational: active.some(({ last_heartbeat }) => last_heartbeat !== null),
    };
    for (const [label, isMeasured] of Object.entries(measured)) {
      const figure = figures.find((one) => one.label === label)!;
      expect([label, figure.value === '–']).toEqual([label, !isMeasured]);
    }
    for (const { label, value, note, needs, changes } of figures) {
      if (value === '–') expect(note, label).toMatch(/yet|no |begins/);
      if (value !== '–' && !['0', 'None', 'Not audited'].includes(value)) expect(needs, label).toEqual([]);
      // Otherwise its events are there, and the figure does not know.
      if (needs.length > 0 && !/no (whole )?day/.test(note))
        expect(
          needs.map((type) => countOf(state, type)),
          `${name}, ${label}`,
        ).toContain(0);
      const isWritten = /^(Treaty framework|Obligations|Signatures|Standards|Protocols|Papers)$/.test(label);
      expect([label, note === 'nothing published yet']).toEqual([label, isWritten]);
      for (const { date } of changes) expect(Date.parse(date), label).toBeGreaterThanOrEqual(FIRST_DAY);
    }
  });

  test('is summed up without a word about what nobody has recorded', async () => {
    const release = await releaseOf(name);
    const said = AREAS.map((area) => AREA_SUMMARY[area](release)).join(' ');
    expect(said).not.toMatch(NONSENSE);
    expect(daysBefore(said)).toEqual([]);
    // A statement, and the events without which it would be about nothing.
    const statements: readonly [RegExp, number][] = [
      [/consensus rate of/, countOf(state, 'deliberation_closed')],
      [/integrity index is \d/, countOf(state, 'mii_reading')],
      [/minting is o/, countOf(state, 'mii_reading')],
      [/Mean coordination is/, countOf(state, 'attestation')],
      [/operational/, countOf(state, 'heartbeat')],
      [/worst audit result/, countOf(state, 'compliance_audited')],
      [/next audit is/, countOf(state, 'audit_scheduled')],
      [/\d MIC/, countOf(state, 'genesis')],
      [/drift score is/, drift(state).drift_score === null ? 0 : 1],
      [/five virtues have/, Object.values(virtueScores(state)).every((score) => score !== null) ? 1 : 0],
    ];
    for (const [statement, events] of statements)
      expect([statement, statement.test(said)]).toEqual([statement, events > 0]);
  });
});

/** Pages of texts that people wrote, and of data that programs read: their words are no statements about the ledger. */
const NOT_OF_THE_LEDGER = /^(api|problems|academics\/papers|philosophy\/simulation|attestations|events)\//;

describe('every page of a ledger of its first day', () => {
  let pages: Map<string, string>;
  let release: SiteRelease;

  beforeAll(async () => {
    const built = await buildOver('first-day', YOUNG_LEDGERS['first-day'](), noDocuments);
    const { files } = await listTree(built.out);
    const html = files.filter((path) => path.endsWith('.html'));
    const texts = await Promise.all(html.map((path) => readFile(join(built.out, path), 'utf8')));
    pages = new Map(html.map((path, index) => [path, texts[index]!]));
    release = new SiteRelease(built.release, { baseUrl: BASE_URL, organisation: ORGANISATION });
  });

  // What is side by side in a sentence stays so; cells, items and paragraphs are apart.
  const wordsOf = (html: string) =>
    html
      .replaceAll(/<(script|style|svg|pre)\b.*?<\/\1>/gs, ' | ')
      .replaceAll(/<\/?(a|b|code|em|small|span|strong|time)\b[^>]*>/g, ' ')
      .replaceAll(/<[^>]*>/g, ' | ')
      .replaceAll(/\s+/g, ' ');

  test('is free of numbers that are none', () => {
    expect(pages.size).toBeGreaterThan(100);
    for (const [path, html] of pages)
      if (!NOT_OF_THE_LEDGER.test(path)) expect(NONSENSE.exec(wordsOf(html))?.[0], path).toBeUndefined();
  });

  test('speaks of no day before the ledger began, where it speaks of the ledger', () => {
    for (const path of [
      'index.html',
      ...AREAS.map((area) => `${area}/index.html`),
      'government/transparency/index.html',
    ])
      expect(daysBefore(wordsOf(pages.get(path)!)), path).toEqual([]);
  });

  test('has a drawing with data, or the event types that are needed', () => {
    for (const chart of CHARTS) {
      const missing = chart.open(release).missing();
      for (const path of [`charts/${chart.id}/index.html`, `${chart.area}/index.html`, 'charts/index.html']) {
        const html = pages.get(path)!;
        for (const type of missing?.types ?? []) expect(html, path).toContain(`href="/events/#${type}"`);
        if (path.startsWith(chart.area))
          expect(new RegExp(`id="chart-${chart.id}-\\d+-page-\\w+-title"`).test(html), path).toBe(
            missing === null,
          );
      }
    }
    // Every link to an event type arrives.
    const reference = pages.get('events/index.html')!;
    const types = [...pages.values()].flatMap((html) =>
      [...html.matchAll(/"\/events\/#(\w+)"/g)].map(([, type]) => type!),
    );
    expect(types.length).toBeGreaterThan(100);
    for (const type of new Set(types)) expect(reference).toContain(` id="${type}"`);
    // A count of zero that a condition lets through would stand alone between two elements.
    for (const [path, html] of pages)
      expect(/<\/(div|p|table|section)>\s*0\s*</.exec(html)?.[0], path).toBeUndefined();
    // No table or list without entries. What a script fills has an id or data.
    for (const [path, html] of pages) {
      if (path.startsWith('embed/') || path.startsWith('charts/')) continue;
      expect(
        /<tbody>\s*<\/tbody>|<(ul|ol|dl)( class="[^"]*")?>\s*<\/\1>/.exec(html)?.[0],
        path,
      ).toBeUndefined();
    }
  });

  test('says that no documents and no papers are published yet, and shows nothing of them', () => {
    const diplomacy = wordsOf(pages.get('diplomacy/index.html')!);
    expect(diplomacy.match(/Not published yet/g)).toHaveLength(3);
    expect(diplomacy).toContain('No treaty framework has been published yet.');
    expect(diplomacy).not.toMatch(/enter into force|What would a party promise|open for signature/);
    expect(wordsOf(pages.get('academics/index.html')!)).toContain('No paper has been published yet.');
    const papers = [...pages.keys()].filter((path) => path.startsWith('academics/papers/'));
    expect(papers).toEqual(['academics/papers/index.html']);
    expect(wordsOf(pages.get(papers[0]!)!)).toContain('No paper has been published yet.');
  });

  test('says whose ledger it is, and whom to ask', () => {
    for (const [path, html] of pages) {
      if (path.startsWith('embed/')) continue;
      expect(html, path).toContain(release.draft.ledger.origin);
      expect(html, path).toContain(`mailto:${ORGANISATION.contact}`);
    }
  });
});
