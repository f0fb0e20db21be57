import { z } from 'zod';
import { Prose } from './prose.ts';

/** Facts that only the citation database states. */
export const Citations = z.strictObject({
  /** The organisation that is the author of every entry. */
  author: Prose,
  system: z.strictObject({
    title: Prose,
    note: Prose,
    /** Registered for the data of all years. */
    doi: z
      .string()
      .regex(/^10\.\d{4,9}\/[A-Za-z0-9._;()/:-]+$/, 'a DOI like 10.1234/cathedral, without https://doi.org/')
      .optional(),
  }),
});
export type Citations = z.infer<typeof Citations>;
