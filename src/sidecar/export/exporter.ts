import type { Manifest, Segment } from '../../../pipeline/release/format/manifest.ts';
import { CACHE_CONTROL } from '../../../pipeline/release/format/response-headers.ts';
import { EXPORT_MEDIA_TYPES, type ExportQuery } from '../../api/query/export-query.ts';
import type { ServedRelease } from '../files/releases.ts';
import type { RequestHead } from '../files/representation.ts';
import { ConcurrencyLimit, type ConcurrencyLimits } from '../limits/concurrency-limit.ts';
import type { Answer } from '../request/answer.ts';
import { StreamedBody } from '../request/streamed-body.ts';
import { bytesOfWhole, exportChunks, overlaps } from './export-rows.ts';
import { assertThere, type CurrentRelease, EXPORT_PATH, segmentReader } from './segments.ts';

const EXPORT_LIMITS: ConcurrencyLimits = {
  what: 'exports are being sent',
  // Each holds a segment of about 4 MB: at most 70 MB in memory.
  parallel: 16,
  // No holder of keys takes all of them.
  perHolder: 4,
};

export interface ExporterOptions extends Partial<ConcurrencyLimits> {
  /** The current release, because an export may outlast its own release. */
  current: CurrentRelease;
}

export type Exporter = ReturnType<typeof createExporter>;

/** Exports the audit trail from the segments of a release. */
export function createExporter({ current, ...limits }: ExporterOptions) {
  const slots = new ConcurrencyLimit({ ...EXPORT_LIMITS, ...limits });
  return {
    /** The export that a query describes, its first rows read. Throws a Problem. */
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
        await assertThere(segments, release.dir);
        if (method === 'HEAD') {
          leave();
          return { status: 200, headers, body: null };
        }
        const chunks = await begun(exportChunks(query, segments, segmentReader(release, current)));
        return { status: 200, headers, body: new StreamedBody(chunks, leave) };
      } catch (error) {
        leave();
        throw error;
      }
    },
  };
}

/** With the first chunk made: until it is, an error can still become a problem response. */
async function begun(chunks: AsyncGenerator<Buffer>): Promise<AsyncGenerator<Buffer>> {
  const { value: first } = await chunks.next();
  return (async function* () {
    yield first as Buffer;
    yield* chunks;
  })();
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
