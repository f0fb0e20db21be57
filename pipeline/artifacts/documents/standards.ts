import * as z from 'zod/mini';
import { described } from '../../words/described.ts';
import { distinct, FRONT_MATTER, numbered, optionalDocument, Prose, StandardId } from './prose.ts';

export const LEVELS = ['readable', 'verifiable', 'witnessed'] as const;
/** Strongest first; the words of RFC 2119, in capitals as RFC 8174 asks. */
export const KEYWORDS = ['MUST NOT', 'MUST', 'SHOULD NOT', 'SHOULD', 'MAY'] as const;

const Level = described(z.enum(LEVELS), 'Conformance level', { range: LEVELS.join(', ') });

const Clause = z
  .strictObject({
    id: described(
      z.string().check(z.regex(/^CDS-\d{2}\.[1-9]\d*$/, 'an id like CDS-03.2')),
      'Identifier of the clause',
      { example: 'CDS-03.2' },
    ),
    keyword: described(z.enum(KEYWORDS), 'How strongly it binds, RFC 2119 and RFC 8174', {
      range: KEYWORDS.join(', '),
    }),
    level: described(Level, 'The lowest conformance level that the clause belongs to'),
    text: described(Prose, 'The requirement; references in square brackets'),
    test: described(Prose, 'How to find out whether it is met'),
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
    id: described(StandardId, 'Identifier of the standard'),
    title: described(Prose, 'Title of the standard'),
    scope: described(Prose, 'What it applies to'),
    clauses: described(distinct(Clause, 'id'), 'Clauses in order'),
    references: described(z.array(Prose).check(z.minLength(1)), 'Ids of the references that it builds on'),
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
  order: described(z.int().check(z.gte(1)), 'Order of the level, from 1, each including those before it'),
  id: Level,
  name: described(Prose, 'Name of the level'),
  requires: described(Prose, 'What a service has to meet to claim it'),
  gives: described(Prose, 'What a reader can rely on then'),
  claim: described(Prose, 'The sentence that claims this level'),
});

const Reference = z.strictObject({
  id: described(Prose, 'Identifier, as used in square brackets', { example: 'RFC 8785' }),
  title: described(Prose, 'Title of the work'),
  publisher: described(Prose, 'Body that publishes it'),
  year: described(z.int().check(z.gte(1980), z.lte(2100)), 'Year of the edition referred to'),
  url: described(z.url({ protocol: /^https$/ }), 'Where it is found'),
});

/** The standards for open ledger publication, as written. */
export const Standards = described(
  z.strictObject({
    ...FRONT_MATTER,
    conventions: described(z.array(Prose).check(z.minLength(1)), 'How to read the clauses'),
    conformance_levels: described(numbered(ConformanceLevel, 'order'), 'Levels, lowest first'),
    standards: described(distinct(Standard, 'id'), 'The standards'),
    references: described(distinct(Reference, 'id'), 'Works referred to'),
  }),
  'Standards for publishing an open ledger so that it can be read, verified and witnessed',
);
export type Standards = z.infer<typeof Standards>;

export const PublishedStandards = optionalDocument(Standards);
