import * as z from 'zod/mini';
import { described } from '../../words/described.ts';
import type { Author } from '../format/bibliography.ts';
import { distinct, Prose } from './prose.ts';

const STATUSES = [
  'in_preparation',
  'draft',
  'working_paper',
  'submitted',
  'forthcoming',
  'published',
] as const;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern forbids them.
const KEY = /^[^\u0000-\u0020"#%'(),=\\{}~\u007f-\u00a0]{1,100}$/;

export const Paper = z.strictObject({
  id: described(
    z
      .string()
      .check(
        z.regex(
          KEY,
          'a key of at most 100 characters without blanks and without any of " # % \' ( ) , = \\ { } ~',
        ),
      ),
    'Identifier of the paper, its key in the bibliography',
    { example: 'logistic-rewards' },
  ),
  title: described(Prose, 'Title of the paper'),
  status: described(z.enum(STATUSES), 'Status of the paper', { range: STATUSES.join(', ') }),
  venues: described(
    z.array(Prose).check(z.minLength(1)),
    'Kinds of venue that it is intended for, or where it appeared',
  ),
  key_result: described(Prose, 'Its main result, or its abstract'),
  path: described(
    z
      .string()
      .check(
        z.regex(
          /^(\/academics\/papers\/[a-z0-9._-]+\/|https?:\/\/\S+)$/,
          'a page of this service or an address',
        ),
      ),
    'Path of its text on this service; the address of the text where that is elsewhere',
    { example: '/academics/papers/logistic-rewards/' },
  ),
});

/** The papers index, as published. */
export const Papers = described(
  z.strictObject({
    papers: described(distinct(Paper, 'id'), 'Papers on the system; empty where there are none'),
  }),
  'Index of the papers on the system',
);

/** A paper of the index with what only citations and its page say. */
export interface WrittenPaper extends z.infer<typeof Paper> {
  /** The key of its citation. */
  citationKey: string;
  authors: readonly Author[];
  year: string;
  /** Where it is outside of this service. */
  url: string | null;
}
