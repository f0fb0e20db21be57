import type { DatasetCitation } from './cite.ts';

/** An item of CSL-JSON, as citation managers and styles read it. */
export function toCsl({ key, author, title, url, note, asOf }: DatasetCitation) {
  const [year, month, day] = asOf.slice(0, 10).split('-').map(Number) as [number, number, number];
  return {
    id: key,
    type: 'dataset',
    author: [{ literal: author }],
    title,
    issued: { 'date-parts': [[year, month, day]] },
    publisher: author,
    URL: url,
    note,
  };
}

export function formatCslJson(citations: readonly DatasetCitation[]): string {
  return `${JSON.stringify(citations.map(toCsl), null, 2)}\n`;
}
