import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { JURISDICTIONS, REGIMES, VIRTUES } from '../../pipeline/ledger/events/vocabulary.ts';
import { SENTINEL_IDS } from '../../pipeline/model/sentinel-profiles.ts';
import { fill } from '../../pipeline/sample/deliberation/speech.ts';
import { sampleTexts, type Topic } from '../../pipeline/sample/texts.ts';

const FOLDER = join(import.meta.dirname, '../../data/sample');
const texts = sampleTexts();
const recurring = texts.topics.flat();
const topics: Topic[] = [...recurring, texts.raiseMultiplier, texts.lowerMultiplier];

/** Places that every text of a topic may use, and those that the proposal of a multiplier fills. */
const DATE_PLACES = ['quarter', 'nextQuarter', 'horizon'];
const MULTIPLIER_PLACES = ['cathedral', 'before', 'after'];

const Text = z.string().min(1);
const Sentences = z.string().regex(/[.?]$/, 'sentences that end with a full stop or a question mark');
const Condition = z.string().regex(/^that .*[^.]$/, 'a clause that begins with “that”, without a full stop');
const Unknown = z
  .string()
  .regex(/^(what|which|who|whose|how|where|whether) .*[^.?]$/, 'an indirect question, without a full stop');
const Sentinel = z.enum(SENTINEL_IDS);
const Virtue = z.enum(VIRTUES);
const Share = z.number().min(0).max(1);
const withPlace = (name: string) =>
  z.string().refine((text) => text.includes(`{${name}}`), `a text with the place {${name}}`);
const most = <T extends z.ZodType>(item: T) => z.array(item).min(1);

const TopicShape = z.strictObject({
  question: z.string().regex(/^Whether .*[^.?]$/, 'a text that begins with “Whether”, without a full stop'),
  virtues: most(Virtue),
  contested: Share,
  for: z.record(Sentinel, Sentences),
  against: z.partialRecord(Sentinel, Sentences),
  conditions: most(Condition),
  unknowns: most(Unknown),
  adopted: Sentences,
  declined: Sentences,
  open: Sentences,
  frameworks: z.array(Text).min(2),
  reasoning: most(Sentences),
  lessons: most(Sentences),
});
const Figure = z.strictObject({
  text: withPlace('n'),
  first: z.number(),
  per_quarter: z.number(),
  error: z.number().min(0),
  places: z.int().min(0),
});
const Releases = z.array(
  z.strictObject({ name: Text, day: z.int().min(0), version: z.string().regex(/^\d+\.\d+\.\d+$/) }),
);
const Span = z.tuple([z.number().positive(), z.number().positive()]).refine(([least, most]) => least < most);
const Level = z.enum(['low', 'medium', 'high']);

/** What each file must hold, beside the topics. */
const FILES: Readonly<Record<string, z.ZodType>> = {
  'topic-order.json': most(most(Text)),
  'voices.json': z.record(
    Sentinel,
    z.strictObject({
      virtue: Virtue,
      conditions: most(withPlace('condition')),
      abstentions: most(withPlace('unknown')),
      supports: most(Sentences),
      opposes: most(Sentences),
      yields: withPlace('other'),
    }),
  ),
  'policies.json': most(
    z.strictObject({
      policy: Text,
      ...{ debt: Figure, gdp: Figure, jobs: Figure, access: Figure },
      equity: Text,
      transparency: Text,
      risks: z.array(z.strictObject({ risk: Text, severity: Level, mitigation: z.string() })),
      timeline: Text,
    }),
  ),
  'companion-requests.json': most(
    z.strictObject({
      scope: most(Text),
      risk_level: Level,
      risk_justification: Sentences,
      request_context: Text,
      epicon_ej: z.strictObject({
        values: most(Text),
        reasoning: Sentences,
        anchors: z.array(z.strictObject({ type: Text, source: Text, confidence: Share })),
        boundaries: z.strictObject({ applies_when: z.array(Text), fails_when: z.array(Text) }),
        // biome-ignore lint/suspicious/noThenProperty: the document's schema names this member
        counterfactual: z.strictObject({ if_changed: Text, then: Text }),
      }),
    }),
  ),
  'software.json': z.strictObject({ apps: Releases, packages: Releases }),
  'contracts.json': most(
    z.strictObject({
      name: z.string().regex(/^[a-z0-9_]+$/),
      day: z.int().min(0),
      first: z.int().positive(),
      every: Span,
      locks: Share,
      lock: Span,
      unlock: Span,
    }),
  ),
  'audits.json': z.strictObject(
    Object.fromEntries(
      JURISDICTIONS.map((name) => [
        name,
        z.strictObject({
          second_day: z.int().positive(),
          statuses: z.record(z.enum(REGIMES[name] as readonly string[] as [string]), Text),
        }),
      ]),
    ),
  ),
  'reasons.json': z.strictObject({
    retirement: most(Sentences),
    revocation: most(Sentences),
    raise_multiplier: most(Text),
    lower_multiplier: most(Text),
    review: z.record(z.enum(Object.values(REGIMES).flat()), Text),
  }),
};

test('each file has the members that data/sample/README.md describes', () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
  expect(files.toSorted()).toEqual(Object.keys(FILES).toSorted());
  for (const [name, schema] of Object.entries(FILES))
    expect(
      schema.safeParse(JSON.parse(readFileSync(join(FOLDER, name), 'utf8'))).error,
      name,
    ).toBeUndefined();
  for (const { subjects, ...topic } of recurring) {
    expect(TopicShape.safeParse(topic).error, topic.question).toBeUndefined();
    expect(most(z.record(z.string(), Text)).safeParse(subjects).success, topic.question).toBe(true);
  }
  for (const topic of [texts.raiseMultiplier, texts.lowerMultiplier])
    expect(TopicShape.safeParse(topic).error, topic.question).toBeUndefined();
});

test('each topic is listed once', () => {
  const order: string[][] = JSON.parse(readFileSync(join(FOLDER, 'topic-order.json'), 'utf8'));
  const listed = [...order.flat(), 'raise-multiplier', 'lower-multiplier'].map((name) => `${name}.json`);
  expect(listed.toSorted()).toEqual(readdirSync(join(FOLDER, 'topics')).toSorted());
});

test('the texts of a topic use only the places that are filled', () => {
  const placesIn = (topic: Topic) =>
    [...JSON.stringify({ ...topic, subjects: [] }).matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
  for (const topic of recurring)
    for (const subject of topic.subjects)
      expect([...Object.keys(subject), ...DATE_PLACES], topic.question).toEqual(
        expect.arrayContaining(placesIn(topic)),
      );
  for (const topic of [texts.raiseMultiplier, texts.lowerMultiplier])
    expect([...MULTIPLIER_PLACES, ...DATE_PLACES]).toEqual(expect.arrayContaining(placesIn(topic)));
});

test('there are at least two dozen topics, and no text occurs twice', () => {
  expect(recurring.length).toBeGreaterThanOrEqual(24);
  const all = topics.flatMap((topic) => [
    topic.question,
    ...Object.values(topic.for),
    ...Object.values(topic.against),
    ...topic.conditions,
    ...topic.unknowns,
    ...[topic.adopted, topic.declined, topic.open],
    ...topic.reasoning,
    ...topic.lessons,
  ]);
  expect(new Set(all).size).toBe(all.length);
});

test('a word at the beginning of a sentence gets a capital, an identifier does not', () => {
  expect(fill('{days} days. {days} is enough for {days}.', { days: 'five' })).toBe(
    'Five days. Five is enough for five.',
  );
  expect(fill('{app} runs.', { app: 'audit-room' })).toBe('audit-room runs.');
  expect(() => fill('{days}', {})).toThrow('no word for {days}');
});
