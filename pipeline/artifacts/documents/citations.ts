import { z } from 'zod';
import { distinct, Prose } from './prose.ts';

/** What the citation database says and no other document or artifact does. */
export const Citations = z.strictObject({
  /** The organisation that is the author of every entry. */
  author: Prose,
  system: z.strictObject({ title: Prose, note: Prose }),
  /** One for each paper of the index: the year in which its text was written, or last changed in substance. */
  papers: distinct(z.strictObject({ id: z.string(), year: z.int().min(2000).max(2100) }), 'id'),
});
export type Citations = z.infer<typeof Citations>;
