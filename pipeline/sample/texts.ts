import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { decodeText } from '../artifacts/documents/files.ts';
import { parseJsonFile } from '../artifacts/format/json.ts';
import { PROJECT } from '../config/project.ts';
import { CathedralError } from '../errors.ts';
import { REGIMES, VIRTUES } from '../ledger/events/vocabulary.ts';
import { SENTINEL_IDS } from '../model/sentinel-profiles.ts';

/** The name of the folder in messages, wherever the folder is. */
const LABEL = 'data/sample';
const FOLDER = join(PROJECT, 'data/sample');

/** Places that every text of a topic may use, and those that the proposal of a multiplier fills. */
const DATE_PLACES = ['quarter', 'nextQuarter', 'horizon'];
const MULTIPLIER_PLACES = ['cathedral', 'before', 'after'];

const Text = z.string().min(1);
const Sentences = z
  .string()
  .regex(/[.?]$/, { error: 'sentences that end with a full stop or a question mark' });
const Condition = z
  .string()
  .regex(/^that .*[^.]$/, { error: 'a clause that begins with “that”, without a full stop' });
const Unknown = z.string().regex(/^(what|which|who|whose|how|where|whether) .*[^.?]$/, {
  error: 'an indirect question, without a full stop',
});
const Sentinel = z.enum(SENTINEL_IDS);
const Virtue = z.enum(VIRTUES);

/** data/sample/README.md describes the members. */
const Topic = z.strictObject({
  question: z
    .string()
    .regex(/^Whether .*[^.?]$/, { error: 'a text that begins with “Whether”, without a full stop' }),
  virtues: z.array(Virtue).min(1),
  contested: z.number().min(0).max(1),
  for: z.record(Sentinel, Sentences),
  against: z.partialRecord(Sentinel, Sentences),
  conditions: z.array(Condition).min(1),
  unknowns: z.array(Unknown).min(1),
  adopted: Sentences,
  declined: Sentences,
  open: Sentences,
  frameworks: z.array(Text).min(2),
  reasoning: z.array(Sentences).min(1),
  lessons: z.array(Sentences).min(1),
});
const RecurringTopic = Topic.extend({ subjects: z.array(z.record(z.string(), Text)).min(1) });

const Voice = z.strictObject({
  virtue: Virtue,
  conditions: z.array(withPlace('condition')).min(1),
  abstentions: z.array(withPlace('unknown')).min(1),
  supports: z.array(Sentences).min(1),
  opposes: z.array(Sentences).min(1),
  yields: withPlace('other'),
});

const Figure = z.strictObject({
  text: withPlace('n'),
  first: z.number(),
  per_quarter: z.number(),
  error: z.number().min(0),
  places: z.int().min(0),
});
const Policy = z.strictObject({
  policy: Text,
  debt: Figure,
  gdp: Figure,
  jobs: Figure,
  access: Figure,
  equity: Text,
  transparency: Text,
  risks: z.array(
    z.strictObject({ risk: Text, severity: z.enum(['low', 'medium', 'high']), mitigation: z.string() }),
  ),
  timeline: Text,
});

const CompanionRequest = z.strictObject({
  scope: z.array(Text).min(1),
  risk_level: z.enum(['low', 'medium', 'high']),
  risk_justification: Sentences,
  request_context: Text,
  values: z.array(Text).min(1),
  reasoning: Sentences,
  anchors: z.array(z.strictObject({ type: Text, source: Text, confidence: z.number().min(0).max(1) })),
  boundaries: z.strictObject({ applies_when: z.array(Text), fails_when: z.array(Text) }),
  counterfactual: z.strictObject({ if_changed: Text, result: Text }),
});

const Releases = z.array(
  z.strictObject({ name: Text, day: z.int().min(0), version: z.string().regex(/^\d+\.\d+\.\d+$/) }),
);
const Software = z.strictObject({ apps: Releases, packages: Releases });

const Reasons = z.strictObject({
  retirement: z.array(Sentences).min(1),
  revocation: z.array(Sentences).min(1),
  review: z.record(z.enum(Object.values(REGIMES).flat()), Text),
});

const TopicOrder = z.array(z.array(Text).min(1)).min(1);

export type Topic = z.infer<typeof Topic>;
export type RecurringTopic = z.infer<typeof RecurringTopic>;
export type Figure = z.infer<typeof Figure>;
export type Policy = z.infer<typeof Policy>;
export type CompanionRequest = z.infer<typeof CompanionRequest>;

export interface SampleTexts {
  charter: string;
  /** The topics that return, in groups that are shuffled one by one. */
  topics: readonly (readonly RecurringTopic[])[];
  raiseMultiplier: Topic;
  lowerMultiplier: Topic;
  voices: z.infer<z.ZodRecord<typeof Sentinel, typeof Voice>>;
  policies: readonly Policy[];
  requests: readonly CompanionRequest[];
  software: z.infer<typeof Software>;
  reasons: z.infer<typeof Reasons>;
}

let cached: SampleTexts | undefined;

/** The project's own texts, read once for each process. */
export function sampleTexts(): SampleTexts {
  cached ??= readSampleTexts(FOLDER);
  return cached;
}

/**
 * Reads and checks a folder of texts. Throws document_invalid with file and place
 * (`data/sample/topics/embargo.json: conditions[1]`) for a file that is missing, unknown or malformed.
 */
export function readSampleTexts(folder: string): SampleTexts {
  const text = (name: string) => readText(folder, name);
  const parse = <S extends z.ZodType>(name: string, schema: S) =>
    parseJsonFile(text(name), schema, `${LABEL}/${name}`, 'document_invalid');
  const multiplier = (name: string) => parse(`topics/${name}.json`, Topic.check(placesOf(MULTIPLIER_PLACES)));
  const recurring = (name: string) => parse(`topics/${name}.json`, RecurringTopic.check(placesOfSubjects));
  const order = parse('topic-order.json', TopicOrder);
  assertOrdered(folder, [...order.flat(), 'raise-multiplier', 'lower-multiplier']);
  return {
    charter: text('charter.txt').trimEnd(),
    topics: order.map((names) => names.map(recurring)),
    raiseMultiplier: multiplier('raise-multiplier'),
    lowerMultiplier: multiplier('lower-multiplier'),
    voices: parse('voices.json', z.record(Sentinel, Voice)),
    policies: parse('policies.json', z.array(Policy).min(1)),
    requests: parse('companion-requests.json', z.array(CompanionRequest).min(1)),
    software: parse('software.json', Software),
    reasons: parse('reasons.json', Reasons),
  };
}

function readText(folder: string, name: string): string {
  const place = `${LABEL}/${name}`;
  let bytes: Buffer;
  try {
    bytes = readFileSync(join(folder, name));
  } catch (cause) {
    throw fault(place, 'a readable file', (cause as NodeJS.ErrnoException).code ?? String(cause), cause);
  }
  return decodeText(bytes, place);
}

/** Otherwise a new topic that nobody listed would silently never be asked. */
function assertOrdered(folder: string, names: readonly string[]): void {
  const place = `${LABEL}/topic-order.json`;
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw fault(place, 'each topic once', `${twice} twice`);
  const unlisted = readdirSync(join(folder, 'topics')).find(
    (file) => !names.includes(file.replace(/\.json$/, '')),
  );
  if (unlisted !== undefined) throw fault(place, `a line for topics/${unlisted}`, 'none');
}

function fault(place: string, expected: string, found: string, cause?: unknown): CathedralError {
  return new CathedralError('document_invalid', { place, expected, found, cause });
}

function withPlace(name: string) {
  return z
    .string()
    .refine((text) => text.includes(`{${name}}`), { error: `a text with the place {${name}}` });
}

function placesOfSubjects(context: z.core.ParsePayload<RecurringTopic>): void {
  for (const subject of context.value.subjects) placesOf(Object.keys(subject))(context);
}

/** Checks that the texts of a topic use only these places, and those of the date. */
function placesOf(names: readonly string[]) {
  const known = [...names, ...DATE_PLACES];
  return ({ value, issues }: z.core.ParsePayload<Topic>): void => {
    for (const { path, text } of textsOf(value, [])) {
      const unknown = [...text.matchAll(/\{(.*?)\}/g)].some((match) => !known.includes(match[1]!));
      if (!unknown) continue;
      const message = `only the places ${known.map((name) => `{${name}}`).join(', ')}`;
      issues.push({ code: 'custom', input: text, path, message });
    }
  };
}

interface PlacedText {
  path: (string | number)[];
  text: string;
}

function textsOf(value: unknown, path: (string | number)[]): PlacedText[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (Array.isArray(value)) return value.flatMap((item, index) => textsOf(item, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => textsOf(member, [...path, name]));
}
