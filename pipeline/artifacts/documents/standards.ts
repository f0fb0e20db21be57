import { z } from 'zod';
import { distinct, FRONT_MATTER, numbered, optionalDocument, Prose, StandardId } from './prose.ts';

export const LEVELS = ['readable', 'verifiable', 'witnessed'] as const;
/** Strongest first; the words of RFC 2119, in capitals as RFC 8174 asks. */
export const KEYWORDS = ['MUST NOT', 'MUST', 'SHOULD NOT', 'SHOULD', 'MAY'] as const;

const Level = z.enum(LEVELS).meta({ description: 'Conformance level', range: LEVELS.join(', ') });

const Clause = z
  .strictObject({
    id: z
      .string()
      .regex(/^CDS-\d{2}\.[1-9]\d*$/, 'an id like CDS-03.2')
      .meta({ description: 'Identifier of the clause', example: 'CDS-03.2' }),
    keyword: z
      .enum(KEYWORDS)
      .meta({ description: 'How strongly it binds, RFC 2119 and RFC 8174', range: KEYWORDS.join(', ') }),
    level: Level.meta({ description: 'The lowest conformance level that the clause belongs to' }),
    text: Prose.meta({ description: 'The requirement; references in square brackets' }),
    test: Prose.meta({ description: 'How to find out whether it is met' }),
  })
  .check((context) => {
    const { keyword, text } = context.value;
    const found = KEYWORDS.filter((word) => new RegExp(`\\b${word}\\b(?! NOT)`).test(text));
    if (found.length === 1 && found[0] === keyword) return;
    const message = `expected a text with the one keyword ${keyword}`;
    context.issues.push({ code: 'custom', path: ['text'], message, input: text });
  });

const Standard = z
  .strictObject({
    id: StandardId.meta({ description: 'Identifier of the standard' }),
    title: Prose.meta({ description: 'Title of the standard' }),
    scope: Prose.meta({ description: 'What it applies to' }),
    clauses: distinct(Clause, 'id').meta({ description: 'Clauses in order' }),
    references: z.array(Prose).min(1).meta({ description: 'Ids of the references that it builds on' }),
  })
  .check((context) => {
    const { id, clauses } = context.value;
    clauses.forEach((clause, index) => {
      if (clause.id === `${id}.${index + 1}`) return;
      const message = `expected ${id}.${index + 1}`;
      context.issues.push({ code: 'custom', path: ['clauses', index, 'id'], message, input: clause.id });
    });
  });

const ConformanceLevel = z.strictObject({
  order: z.int().min(1).meta({ description: 'Order of the level, from 1, each including those before it' }),
  id: Level,
  name: Prose.meta({ description: 'Name of the level' }),
  requires: Prose.meta({ description: 'What a service has to meet to claim it' }),
  gives: Prose.meta({ description: 'What a reader can rely on then' }),
  claim: Prose.meta({ description: 'The sentence that claims this level' }),
});

const Reference = z.strictObject({
  id: Prose.meta({ description: 'Identifier, as used in square brackets', example: 'RFC 8785' }),
  title: Prose.meta({ description: 'Title of the work' }),
  publisher: Prose.meta({ description: 'Body that publishes it' }),
  year: z.int().min(1980).max(2100).meta({ description: 'Year of the edition referred to' }),
  url: z.url({ protocol: /^https$/ }).meta({ description: 'Where it is found' }),
});

/** The standards for open ledger publication, as written. */
export const Standards = z
  .strictObject({
    ...FRONT_MATTER,
    conventions: z.array(Prose).min(1).meta({ description: 'How to read the clauses' }),
    conformance_levels: numbered(ConformanceLevel, 'order').meta({ description: 'Levels, lowest first' }),
    standards: distinct(Standard, 'id').meta({ description: 'The standards' }),
    references: distinct(Reference, 'id').meta({ description: 'Works referred to' }),
  })
  .meta({
    description: 'Standards for publishing an open ledger so that it can be read, verified and witnessed',
  });
export type Standards = z.infer<typeof Standards>;

export const PublishedStandards = optionalDocument(Standards);
