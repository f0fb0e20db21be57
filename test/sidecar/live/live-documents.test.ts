import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { DocumentArtifact } from '../../../pipeline/artifacts/artifact.ts';
import { formatJson } from '../../../pipeline/artifacts/format/json.ts';
import { ARTIFACTS, LIVE_ARTIFACTS, LIVE_PATHS } from '../../../pipeline/artifacts/table.ts';
import { emptyState } from '../../../pipeline/model/empty-state.ts';
import type { State } from '../../../pipeline/model/state.ts';
import { LiveDocuments } from '../../../src/sidecar/live/live-documents.ts';

const schema = z.strictObject({ timestamp: z.string(), events: z.int().max(9) });

/** Shows the number of events, and fails above nine; counts how often it is rendered. */
function counting() {
  let renders = 0;
  const artifact: DocumentArtifact = {
    ...LIVE_ARTIFACTS[0]!,
    path: 'economy/events',
    schema,
    render({ state }) {
      renders += 1;
      return formatJson(schema, { timestamp: state.asOf, events: state.events }, 'economy/events');
    },
  };
  const reports: string[] = [];
  const shown = new LiveDocuments((error) => void reports.push(String(error)), [artifact]);
  const show = (events: number) => {
    const state: State = { ...emptyState(), asOf: '2025-12-01T00:00:00Z', events };
    shown.show({
      state,
      documents: null as never,
      companions: null as never,
      baseUrl: 'https://data.example.org',
    });
  };
  return { shown, show, reports, renders: () => renders };
}

describe('the real-time files', () => {
  test('are the artifacts that change with every event', () => {
    const paths = ARTIFACTS.filter(({ refresh }) => refresh === 'real-time').map(({ path }) => path);
    expect(LIVE_PATHS).toEqual(paths);
    expect(paths).toContain('economy/supply');
    expect(LIVE_ARTIFACTS.every(({ restricted }) => !restricted)).toBe(true);
  });

  test('that cannot be rendered keep the previous document, report the error once, and show no ledger content to anyone', () => {
    const { shown, show, reports } = counting();
    show(9);
    const last = shown.document('economy/events');
    show(10);
    expect(shown.document('economy/events')).toBe(last);
    show(10);
    expect(shown.document('economy/events')).toBe(last);
    expect(reports).toHaveLength(1);
    expect(reports[0]).toContain('artifact_invalid');
    expect(shown.fault).toMatch(/^artifact_invalid: /);
    expect(shown.fault).not.toContain('10');
    show(5);
    expect(JSON.parse(shown.document('economy/events')!.text).events).toBe(5);
    expect(shown.fault).toBeNull();
  });
});
