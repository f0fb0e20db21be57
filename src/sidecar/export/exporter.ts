import type { Segment } from '../../../pipeline/release/format/manifest.ts';
import { parseExportQuery } from '../../api/query/export-query.ts';
import { asksForCycle } from '../../api/query/filter.ts';
import type { ServedRelease } from '../files/releases.ts';
import type { Answer } from '../request/answer.ts';
import { type SlotLimits, Slots } from '../request/slots.ts';
import type { Exporter } from '../services.ts';
import { NOTHING } from './chunk-writer.ts';
import { ExportBody } from './export-body.ts';
import { exportChunks } from './export-chunks.ts';
import { exportHeaders } from './export-headers.ts';
import { overlaps } from './period.ts';
import { SegmentBuffers } from './segment-buffers.ts';
import { EXPORT_PATH, SegmentSource } from './segment-source.ts';

/** Each holds a segment of some 4 MB: 70 MB in memory, at the most. */
export const EXPORT_LIMITS: SlotLimits = { what: 'exports are being sent', parallel: 16, perHolder: 4 };

export interface ExporterOptions extends Partial<SlotLimits> {
  /** The release that is current: an export may outlast the one that it is of. */
  current: () => ServedRelease | null | Promise<ServedRelease | null>;
}

/** Exports of the audit trail, from the segments of a release. */
export function createExporter({ current, ...limits }: ExporterOptions): Exporter {
  const slots = new Slots({ ...EXPORT_LIMITS, ...limits });
  const buffers = new SegmentBuffers();
  return {
    async prepare({ method }, text, holder, release) {
      const query = parseExportQuery(text);
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

/** Until the first chunk is there, a fault is still an answer of its own. */
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
