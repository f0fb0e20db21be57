import type { Segment } from '../../../pipeline/release/format/manifest.ts';
import type { ExportQuery } from '../../api/query/export-query.ts';
import { asksForCycle, type Filter, narrow } from '../../api/query/filter.ts';
import { ChunkWriter, NOTHING } from './chunk-writer.ts';
import { FORMS } from './formats.ts';
import { clip, type Part, partsByCycle } from './part.ts';
import { withinPeriod } from './period.ts';
import { type RowTest, rowTest } from './row-test.ts';
import type { SegmentSource } from './segment-source.ts';

/** Far more than a segment contains, yet few enough to keep. */
const MAX_KNOWN = 1000;

/** The row test of a filter for a given cycle; true or false if nothing is left to test. */
function testByCycle(filter: Filter): (cycle: string) => RowTest | boolean {
  const known = new Map<string, RowTest | boolean>();
  return (cycle) => {
    const found = known.get(cycle);
    if (found !== undefined) return found;
    const narrowed = narrow(filter, cycle);
    const test = typeof narrowed === 'boolean' ? narrowed : rowTest(narrowed);
    if (known.size === MAX_KNOWN) known.clear();
    known.set(cycle, test);
    return test;
  };
}

export interface ExportPlan {
  query: ExportQuery;
  /** Segments that may contain matching rows, newest first. */
  segments: readonly Segment[];
  source: Pick<SegmentSource, 'read' | 'cycles'>;
  /** Large enough for any of the segments, which it holds in turn. */
  buffer: Buffer;
}

/**
 * The bytes of an export in chunks. Each step works for a few milliseconds and holds nothing open in between; an empty chunk is
 * only a pause. When the first chunk arrives, the newest segment has been read; the others stay on disk even if a new release
 * is published. Throws an Error if a segment is unreadable.
 */
export async function* exportChunks(plan: ExportPlan): AsyncGenerator<Buffer, undefined> {
  const { query, segments, source, buffer } = plan;
  const form = FORMS[query.format];
  const writer = new ChunkWriter(form);
  const selectFrom = selection(query.filter, source);
  writer.text(form.head(query.given));
  for (const segment of segments) {
    const parts = await selectFrom(segment);
    const bytes = parts.length > 0 ? await source.read(segment, buffer) : NOTHING;
    const span = withinPeriod(bytes, segment, query);
    for (const part of parts.map((part) => clip(part, span))) {
      for (let at = part.begin; at < part.end; ) {
        at = writer.advance(bytes, part, at);
        yield writer.takeFull();
      }
    }
    yield NOTHING;
  }
  writer.text(form.tail(writer.count));
  yield writer.takeRest();
}

/** The parts of a segment that may match. */
function selection(
  filter: Filter | null,
  source: ExportPlan['source'],
): (segment: Segment) => Promise<Part[]> | Part[] {
  if (filter !== null && asksForCycle(filter)) {
    const testOf = testByCycle(filter);
    return async (segment) => partsByCycle(await source.cycles(segment), testOf);
  }
  const test = filter === null ? null : rowTest(filter);
  return ({ bytes }) => [{ begin: 0, end: bytes, test }];
}
