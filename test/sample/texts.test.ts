import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { fill } from '../../pipeline/sample/deliberation/speech.ts';
import { readSampleTexts, sampleTexts, type Topic } from '../../pipeline/sample/texts.ts';

const FOLDER = join(import.meta.dirname, '../../data/sample');
const texts = sampleTexts();
const topics: Topic[] = [...texts.topics.flat(), texts.raiseMultiplier, texts.lowerMultiplier];

test('there are at least two dozen topics, and no text occurs twice', () => {
  expect(texts.topics.flat().length).toBeGreaterThanOrEqual(24);
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

describe('a mistake is named with its file and place', () => {
  const root = mkdtempSync(join(tmpdir(), 'cathedral-texts-'));
  const copy = join(root, 'sample');
  afterAll(() => rmSync(root, { recursive: true }));
  beforeEach(() => {
    rmSync(copy, { recursive: true, force: true });
    cpSync(FOLDER, copy, { recursive: true });
  });

  const MISTAKES: readonly (readonly [
    name: string,
    file: string,
    from: string,
    to: string,
    place: string,
  ])[] = [
    ['an unknown place in a topic', 'topics/embargo.json', 'held back is shown', '{who}', 'conditions[1]'],
    [
      'an unknown place for one subject only',
      'topics/embargo.json',
      '"days": "ten"',
      '"day": "ten"',
      'question',
    ],
    ['a sentence without an end', 'topics/quorum.json', 'asking for patience.', 'asking', 'for.JADE'],
    ['a condition that is a sentence', 'topics/embargo.json', '"that the hash', '"The hash', 'conditions[0]'],
    ['a misspelt member', 'topics/embargo.json', '"contested"', '"contestd"', 'contested'],
    [
      'a sentinel without an argument',
      'topics/embargo.json',
      '"JADE": "There is',
      '"JANE": "There is',
      'for.JADE',
    ],
    [
      'places of a subject in a multiplier topic',
      'topics/raise-multiplier.json',
      '{after}',
      '{days}',
      'question',
    ],
    ['a voice without its place', 'voices.json', '{unknown}', 'it', 'ATLAS.abstentions[0]'],
    ['a policy without its number', 'policies.json', '{n} %', 'many', '[0].debt.text'],
    ['an unknown risk level', 'companion-requests.json', '"low"', '"none"', '[0].risk_level'],
    ['a version that is not one', 'software.json', '"1.0.0"', '"1.0"', 'apps[0].version'],
    ['an unknown regime', 'reasons.json', '"SEC"', '"SECC"', 'review.SEC'],
    ['a topic that is listed twice', 'topic-order.json', '"quorum"', '"band"', ''],
    ['a topic that is not listed', 'topic-order.json', '"quorum",', '', ''],
  ];

  test.each(MISTAKES)('%s', (_, file, from, to, place) => {
    const text = readFileSync(join(copy, file), 'utf8');
    expect(text).toContain(from);
    writeFileSync(join(copy, file), text.replace(from, to));
    expect(() => readSampleTexts(copy)).toThrow(
      expect.objectContaining({
        code: 'document_invalid',
        place: `data/sample/${file}${place && `: ${place}`}`,
      }),
    );
  });

  test('a missing file', () => {
    rmSync(join(copy, 'topics/quorum.json'));
    expect(() => readSampleTexts(copy)).toThrow(
      expect.objectContaining({ place: 'data/sample/topics/quorum.json', found: 'ENOENT' }),
    );
  });
});
