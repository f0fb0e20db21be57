import { z } from 'zod';
import type { DatasetCitation } from './cite.ts';

const Item = z.strictObject({
  id: z.string(),
  type: z.literal('dataset'),
  author: z.tuple([z.strictObject({ literal: z.string() })]),
  title: z.string(),
  issued: z.strictObject({ 'date-parts': z.tuple([z.tuple([z.number(), z.number(), z.number()])]) }),
  publisher: z.string(),
  URL: z.string(),
  note: z.string(),
});

/** All citations, one per data file. */
export const cslCitations = {
  path: 'citations.csl.json',
  mediaType: 'application/json',
  schema: z.tuple([Item], Item),
};

/** An item of CSL-JSON, as citation managers and styles read it. */
export function toCsl({ key, author, title, url, note, asOf }: DatasetCitation): z.output<typeof Item> {
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
