import * as z from 'zod/mini';
import { CycleLabel } from '../../ledger/events/vocabulary.ts';
import { annotated, annotationsOf, described } from '../../words/described.ts';
import { legible } from '../../words/hidden.ts';

/** Not `\P{Cc}`: the pattern is published in JSON Schemas, and Python's validators cannot compile that. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern forbids them.
const ONE_LINE = /^(?!\s)(?!.*\s$)[^\u0000-\u001f\u007f-\u009f]+$/;

/** A heading, sentence or paragraph on one line, without surrounding white space, without what reverses it or hides in it. */
export const Prose = z.string().check(
  z.regex(ONE_LINE, 'text on one line, without white space at its ends'),
  z.refine((text) => text.isWellFormed(), 'well-formed Unicode'),
  legible,
);

export const ArticleReference = described(
  z
    .string()
    .check(z.regex(/^Article [1-9]\d*(\([1-9]\d*\))?$/, 'a reference like Article 7 or Article 7(2)')),
  'An article of the treaty framework, or one of its paragraphs',
  { example: 'Article 7(2)' },
);
export const StandardId = described(
  z.string().check(z.regex(/^CDS-\d{2}$/, 'an id like CDS-03')),
  'A standard in standards.json',
  { example: 'CDS-03' },
);
export const ProtocolId = described(
  z.string().check(z.regex(/^DP-\d{2}$/, 'an id like DP-03')),
  'A protocol in protocols.json',
  { example: 'DP-03' },
);

/** The first members of each of the three diplomacy documents. */
export const FRONT_MATTER = {
  title: described(Prose, 'Title of the document'),
  version: described(
    z.string().check(z.regex(/^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/, 'a version like 1.0.0')),
    'Semantic version of the text: the first number changes with its obligations',
    { example: '1.0.0' },
  ),
  cycle: described(CycleLabel, 'Cycle in which this version was issued', { example: 'C-156' }),
  status: described(
    z.enum(['draft', 'published', 'open_for_signature', 'in_force', 'withdrawn']),
    'Status of the document',
    { range: 'draft, published, open_for_signature, in_force, withdrawn' },
  ),
  licence: described(z.literal('CC-BY-4.0'), 'SPDX identifier of the licence of the text'),
  summary: described(Prose, 'Purpose of the document, and its limits'),
} as const;

/** A list in which `key` counts 1, 2, 3 …; it may be empty. */
export function numbered<Item extends z.ZodMiniObject>(item: Item, key: keyof z.output<Item> & string) {
  return z.array(item).check((context) => {
    context.value.forEach((entry, index) => {
      const found = (entry as Record<string, unknown>)[key];
      if (found === index + 1) return;
      const message = `expected ${index + 1}, counted from 1 without a gap`;
      context.issues.push({ code: 'custom', path: [index, key], message, input: found });
    });
  });
}

/** A list in which no two items have the same `key`. */
export function distinct<Item extends z.ZodMiniObject>(item: Item, key: keyof z.output<Item> & string) {
  return z.array(item).check((context) => {
    const seen = new Set<unknown>();
    context.value.forEach((entry, index) => {
      const found = (entry as Record<string, unknown>)[key];
      if (seen.has(found)) {
        const message = 'expected a value that no other item of the list has';
        context.issues.push({ code: 'custom', path: [index, key], message, input: found });
      }
      seen.add(found);
    });
  });
}

type Publishable<Shape extends z.core.$ZodShape> = {
  -readonly [Name in keyof Shape]: Shape[Name] extends z.ZodMiniArray
    ? Shape[Name]
    : z.ZodMiniNullable<Shape[Name]>;
};

/** The schema of a document that an organisation may lack: as published, its lists are then empty and its other members null. */
export function optionalDocument<Shape extends z.core.$ZodShape>(
  written: z.ZodMiniObject<Shape, z.core.$strict>,
) {
  const members = Object.entries(written.shape).map(([name, member]) => {
    const published = member instanceof z.ZodMiniArray ? z.array(member.def.element) : z.nullable(member);
    return [name, annotated(published, annotationsOf(member))];
  });
  return annotated(z.strictObject(Object.fromEntries(members) as Publishable<Shape>), annotationsOf(written));
}

/** The document, or what is published without it. */
export function orEmpty<Schema extends z.ZodMiniObject>(
  schema: Schema,
  written: z.output<Schema> | null,
): z.output<Schema> {
  if (written) return written;
  const members = Object.entries(schema.shape).map(([name, member]) => [
    name,
    member instanceof z.ZodMiniArray ? [] : null,
  ]);
  return Object.fromEntries(members) as z.output<Schema>;
}
