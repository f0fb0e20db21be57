import { z } from 'zod';
import { distinct, Prose } from './prose.ts';

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
  /** One for each paper of the index: the year in which its text was written or last changed in substance. */
  papers: distinct(z.strictObject({ id: z.string(), year: z.int().min(2000).max(2100) }), 'id'),
});
export type Citations = z.infer<typeof Citations>;

const Paper = z
  .strictObject({
    id: z
      .string()
      .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, 'an id like logistic-rewards')
      .meta({ description: 'Identifier of the paper', example: 'logistic-rewards' }),
    title: Prose.meta({ description: 'Title of the paper' }),
    status: z.enum(['in_preparation', 'draft', 'working_paper', 'submitted', 'published']).meta({
      description: 'Status of the paper',
      range: 'in_preparation, draft, working_paper, submitted, published',
    }),
    venues: z
      .array(Prose)
      .min(1)
      .meta({ description: 'Kinds of venue that it is intended for, or where it appeared' }),
    key_result: Prose.meta({ description: 'Its main result in a sentence or two' }),
    path: z.string().meta({
      description: 'Path of its page on this service',
      example: '/academics/papers/logistic-rewards/',
    }),
  })
  .check((context) => {
    const { id, path } = context.value;
    if (path === `/academics/papers/${id}/`) return;
    const message = `expected /academics/papers/${id}/`;
    context.issues.push({ code: 'custom', path: ['path'], message, input: path });
  });

/** The papers index, as written and as published. */
export const Papers = z
  .strictObject({ papers: distinct(Paper, 'id').meta({ description: 'Papers on the system' }) })
  .meta({ description: 'Index of the papers on the system' });
export type Papers = z.infer<typeof Papers>;
