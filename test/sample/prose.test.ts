import { expect, test } from 'vitest';
import { SENTINEL_IDS } from '../../pipeline/model/sentinel-profiles.ts';
import { fill } from '../../pipeline/sample/deliberation/fill.ts';
import { TOPICS } from '../../pipeline/sample/deliberation/topics.ts';
import { LOWER, RAISE } from '../../pipeline/sample/prose/multipliers.ts';
import type { Topic } from '../../pipeline/sample/prose/topic.ts';
import { VOICES } from '../../pipeline/sample/prose/voices.ts';

const OF_DAY = { quarter: 'Q4 2025', nextQuarter: 'Q1 2026', horizon: '210' };
const MULTIPLIER = [{ cathedral: 'FOR-ECONOMISTS', before: '1.50', after: '1.55' }];

function textsOf(topic: Topic): string[] {
  const { question, conditions, questions, adopted, declined, open, reasoning, lessons } = topic;
  const speeches = [...Object.values(topic.for), ...Object.values(topic.against)];
  return [
    question,
    ...speeches,
    ...conditions,
    ...questions,
    adopted,
    declined,
    open,
    ...reasoning,
    ...lessons,
  ];
}

test.each([...TOPICS, RAISE, LOWER])(
  '$question: has a word for each place in its texts, for every subject',
  (topic) => {
    const subjects = topic.subjects.length > 0 ? topic.subjects : MULTIPLIER;
    for (const subject of subjects) {
      for (const text of textsOf(topic))
        expect(fill(text, { ...subject, ...OF_DAY })).not.toMatch(/[{}]|undefined/);
    }
  },
);

test('there are more than two dozen questions, and each sentinel has a word of its own on each', () => {
  expect(TOPICS.length).toBeGreaterThanOrEqual(24);
  const texts = [...TOPICS, RAISE, LOWER].flatMap(textsOf);
  expect(new Set(texts).size).toBe(texts.length);
  for (const topic of TOPICS) expect(Object.keys(topic.for).sort()).toEqual([...SENTINEL_IDS].sort());
});

test('sentences end, and what goes on after other words begins small and does not', () => {
  for (const topic of [...TOPICS, RAISE, LOWER]) {
    const sentences = [
      ...Object.values(topic.for),
      ...Object.values(topic.against),
      topic.adopted,
      topic.declined,
      topic.open,
    ];
    for (const text of [...sentences, ...topic.reasoning, ...topic.lessons]) expect(text).toMatch(/[.?]$/);
    for (const text of topic.conditions) expect(text).toMatch(/^that .*[^.]$/);
    for (const text of topic.questions)
      expect(text).toMatch(/^(what|which|who|whose|how|where|whether) .*[^.?]$/);
    expect(topic.question).toMatch(/^Whether .*[^.?]$/);
  }
});

test('every voice has a place for what it answers to', () => {
  for (const voice of Object.values(VOICES)) {
    for (const text of voice.conditions) expect(text).toContain('{condition}');
    for (const text of voice.abstentions) expect(text).toContain('{question}');
    expect(voice.yields).toContain('{other}');
  }
});

test('a word that begins a sentence gets a capital, an identifier does not', () => {
  expect(fill('{days} days. {days} is enough for {days}.', { days: 'five' })).toBe(
    'Five days. Five is enough for five.',
  );
  expect(fill('{app} runs.', { app: 'audit-room' })).toBe('audit-room runs.');
  expect(() => fill('{days}', {})).toThrow('no word for {days}');
});
