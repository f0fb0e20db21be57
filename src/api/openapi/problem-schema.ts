import { z } from 'zod';
import { PROBLEMS, type ProblemCode } from '../problem.ts';

/** A problem document (RFC 9457) as `formatProblem` writes it; other members may come. */
export const ProblemDocument = z.object({
  type: z.string().meta({
    description: 'Page of the code, a reference from the service’s root',
    examples: ['/problems/not_found/'],
  }),
  title: z
    .string()
    .meta({ description: 'What is wrong, in a few words; the same for each document of a code' }),
  status: z.int().min(400).max(599).meta({ description: 'Status of the answer' }),
  detail: z.string().meta({ description: 'What is wrong with this request; for people to read' }),
  instance: z
    .string()
    .optional()
    .meta({ description: 'Path that was asked for, without its query; missing where it is not known' }),
  code: z
    .enum(Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]])
    .meta({ description: 'For programs to tell problems apart; a code never changes its meaning' }),
});
