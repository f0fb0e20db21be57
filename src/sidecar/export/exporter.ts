import { CACHE_CONTROL } from '../../../pipeline/release/format/headers.ts';
import type { Manifest, Segment } from '../../../pipeline/release/format/manifest.ts';
import { EXPORT_MEDIA_TYPES, type ExportQuery } from '../../api/query/export-query.ts';
import type { ServedRelease } from '../files/releases.ts';
import type { RequestHead } from '../files/representation.ts';
import { ConcurrencyLimit, type ConcurrencyLimits } from '../limits/concurrency-limit.ts';
import type { Answer } from '../request/answer.ts';
import { StreamedBody } from '../request/streamed-body.ts';
import { bytesOfWhole, type ExportPlan, exportChunks, overlaps } from './export-rows.ts';
import { EXPORT_PATH, SegmentSource } from './segment-source.ts';

/** Holds a full segment and its last row, which exceeds the segment size. Unused pages cost no memory. */
const COMMON_BYTES = (4 << 20) + (1 << 19);
/** Buffers kept for the next export. More are only needed in a burst. */
const MAX_SPARE = 2;

const EXPORT_LIMITS: ConcurrencyLimits = {
  what: 'exports are being sent',
  // Each slot holds a segment of about 4 MB: at most 70 MB in memory.
  parallel: 16,
  // No holder of keys takes all of them.
  perHolder: 4,
};

export interface ExporterOptions extends Partial<ConcurrencyLimits> {
  /** The current release, because an export may outlast its own release. */
  current: () => ServedRelease | null | Promise<ServedRelease | null>;
}

export type Exporter = ReturnType<typeof createExporter>;

/** Exports the audit trail from the segments of a release. */
export function createExporter({ current, ...limits }: ExporterOptions) {
  const slots = new ConcurrencyLimit({ ...EXPORT_LIMITS, ...limits });
  /** Left to the garbage collector, they would pile up between two collections. */
  const spare: Buffer[] = [];
  const open = async (plan: Omit<ExportPlan, 'buffer'>, leave: () => void): Promise<StreamedBody> => {
    const most = Math.max(0, ...plan.segments.map(({ bytes }) => bytes));
    const buffer =
      (most > COMMON_BYTES ? undefined : spare.pop()) ?? Buffer.allocUnsafeSlow(Math.max(most, COMMON_BYTES));
    return begun(exportChunks({ ...plan, buffer }), () => {
      if (buffer.length === COMMON_BYTES && spare.length < MAX_SPARE) spare.push(buffer);
      leave();
    });
  };
  return {
    /** The export that a query describes, its files open. Throws a Problem. */
    async prepare(
      { method }: RequestHead,
      query: ExportQuery,
      holder: string,
      release: ServedRelease,
    ): Promise<Answer> {
      const all = segmentsOf(release);
      const headers = exportHeaders(query, release.manifest.ledger, all);
      const leave = slots.take(holder);
      try {
        const segments = all.filter((segment) => overlaps(segment, query));
        const source = new SegmentSource(release, current);
        await source.check(segments);
        if (method !== 'HEAD')
          return { status: 200, headers, body: await open({ query, segments, source }, leave) };
        leave();
        return { status: 200, headers, body: null };
      } catch (error) {
        leave();
        throw error;
      }
    },
  };
}

/** The rest of the chunks after the first one, and that. Until it is ready, an error can still become a problem response. */
async function begun(chunks: AsyncGenerator<Buffer>, release: () => void): Promise<StreamedBody> {
  try {
    const { value: first } = await chunks.next();
    const all = async function* () {
      yield first as Buffer;
      yield* chunks;
    };
    return new StreamedBody(all(), release);
  } catch (error) {
    release();
    throw error;
  }
}

function segmentsOf({ id, manifest }: ServedRelease): readonly Segment[] {
  const segments = manifest.segments[EXPORT_PATH];
  if (segments) return segments;
  throw new Error(`release ${id} has no ${EXPORT_PATH}`);
}

/** Headers of an export. It is generated for one reader, so it is not cached and has no entity tag. */
function exportHeaders(
  query: ExportQuery,
  ledger: Manifest['ledger'],
  segments: readonly Segment[],
): Record<string, string> {
  const { from, to, filter, format } = query;
  // The end of other bodies is not known.
  const isWhole = from === null && to === null && filter === null;
  const length = isWhole ? bytesOfWhole(query, segments) : null;
  return {
    'Content-Type': EXPORT_MEDIA_TYPES[format],
    'Content-Disposition': `attachment; filename="${fileName(query, ledger)}"`,
    'Cache-Control': CACHE_CONTROL.restricted,
    ...(length !== null && { 'Content-Length': String(length) }),
  };
}

/** Describes the content: `ledger-export_2025-12-01_2025-12-31_filtered.csv`. Missing bounds stand for genesis and the snapshot. */
function fileName({ given, filter, format }: ExportQuery, { snapshot }: Manifest['ledger']): string {
  const parts = ['ledger-export', given.from ?? 'genesis', given.to ?? snapshot];
  if (filter !== null) parts.push('filtered');
  // Not every file system permits the colons and the plus sign of a date-time.
  return `${parts.join('_').replaceAll(':', '').replaceAll('+', 'p')}.${format}`;
}
