import { CACHE_CONTROL } from '../../../pipeline/release/format/headers.ts';
import type { Manifest, Segment } from '../../../pipeline/release/format/manifest.ts';
import type { ExportQuery } from '../../api/query/export-query.ts';
import { FORMS } from './forms.ts';

/** What an export is sent with. It is made for one reader at one moment, so it is not kept and has no entity tag. */
export function exportHeaders(
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
    // Of the others it is known when they are over.
    ...(isWhole && copies && { 'Content-Length': String(Buffer.byteLength(head(given)) + rows) }),
  };
}

/** Says what is in it: `ledger-export_2025-12-01_2025-12-31_filtered.csv`; without bounds from genesis to the snapshot. */
function fileName({ given, filter, format }: ExportQuery, { snapshot }: Manifest['ledger']): string {
  const parts = ['ledger-export', given.from ?? 'genesis', given.to ?? snapshot];
  if (filter !== null) parts.push('filtered');
  // The colons and the plus sign of a date-time are not for file names everywhere.
  return `${parts.join('_').replaceAll(':', '').replaceAll('+', 'p')}.${format}`;
}
