import { CACHE_CONTROL } from '../../../pipeline/release/format/headers.ts';
import type { Manifest, Segment } from '../../../pipeline/release/format/manifest.ts';
import type { ExportQuery } from '../../api/query/export-query.ts';
import { asksForCycle } from '../../api/query/filter.ts';
import type { ServedRelease } from '../files/releases.ts';
import { ConcurrencyLimit, type ConcurrencyLimits } from '../limits/concurrency-limit.ts';
import type { Answer } from '../request/answer.ts';
import type { Exporter } from '../services.ts';
import { NOTHING } from './chunk-writer.ts';
import { ExportBody } from './export-body.ts';
import { exportChunks } from './export-chunks.ts';
import { FORMS } from './formats.ts';
import { overlaps } from './period.ts';
import { EXPORT_PATH, SegmentSource } from './segment-source.ts';

/** Holds a full segment and its last row, which exceeds the segment size. Unused pages cost no memory. */
const COMMON_BYTES = (4 << 20) + (1 << 19);
/** Buffers kept for the next export. More are only needed in a burst. */
const MAX_SPARE = 2;

/** Reusable buffers for segments. Left to the garbage collector, they would pile up between two collections. */
class SegmentBuffers {
  readonly #spare: Buffer[] = [];

  /** A buffer with room for at least this many bytes. */
  take(bytes: number): Buffer {
    if (bytes > COMMON_BYTES) return Buffer.allocUnsafeSlow(bytes);
    return this.#spare.pop() ?? Buffer.allocUnsafeSlow(COMMON_BYTES);
  }

  give(buffer: Buffer): void {
    if (buffer.length === COMMON_BYTES && this.#spare.length < MAX_SPARE) this.#spare.push(buffer);
  }
}

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

/** Exports the audit trail from the segments of a release. */
export function createExporter({ current, ...limits }: ExporterOptions): Exporter {
  const slots = new ConcurrencyLimit({ ...EXPORT_LIMITS, ...limits });
  const buffers = new SegmentBuffers();
  return {
    async prepare({ method }, query, holder, release) {
      const all = segmentsOf(release);
      const headers = exportHeaders(query, release.manifest.ledger, all);
      const leave = slots.take(holder);
      try {
        const segments = all.filter((segment) => overlaps(segment, query));
        const source = new SegmentSource(release, current);
        await source.check(segments, query.filter !== null && asksForCycle(query.filter));
        if (method !== 'HEAD')
          return { status: 200, headers, body: await open({ query, segments, source }, buffers, leave) };
        leave();
        return { status: 200, headers, body: null };
      } catch (error) {
        leave();
        throw error;
      }
    },
  };
}

/** Until the first chunk is ready, an error can still become a problem response. */
async function open(
  plan: Omit<Parameters<typeof exportChunks>[0], 'buffer'>,
  buffers: SegmentBuffers,
  leave: () => void,
): Promise<Answer['body']> {
  const buffer = buffers.take(Math.max(0, ...plan.segments.map(({ bytes }) => bytes)));
  const release = () => {
    buffers.give(buffer);
    leave();
  };
  const chunks = exportChunks({ ...plan, buffer });
  try {
    const { value = NOTHING } = await chunks.next();
    return new ExportBody(value, chunks, release);
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
  const { from, to, filter, format, given } = query;
  const { mediaType, copies, head } = FORMS[format];
  const isWhole = from === null && to === null && filter === null;
  const rows = segments.reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    'Content-Type': mediaType,
    'Content-Disposition': `attachment; filename="${fileName(query, ledger)}"`,
    'Cache-Control': CACHE_CONTROL.restricted,
    // The end of other bodies is known.
    ...(isWhole && copies && { 'Content-Length': String(Buffer.byteLength(head(given)) + rows) }),
  };
}

/** Describes the content: `ledger-export_2025-12-01_2025-12-31_filtered.csv`. Missing bounds stand for genesis and the snapshot. */
function fileName({ given, filter, format }: ExportQuery, { snapshot }: Manifest['ledger']): string {
  const parts = ['ledger-export', given.from ?? 'genesis', given.to ?? snapshot];
  if (filter !== null) parts.push('filtered');
  // Not every file system permits the colons and the plus sign of a date-time.
  return `${parts.join('_').replaceAll(':', '').replaceAll('+', 'p')}.${format}`;
}
