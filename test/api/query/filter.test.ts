import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ExpressionNode } from '@rsql/ast';
import { parse } from '@rsql/parser';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KnownType } from '../../../pipeline/ledger/events/event.ts';
import { exampleOf } from '../../../pipeline/ledger/events/event-examples.ts';
import {
  FIELD_NAMES,
  FILTER_LIMITS,
  type Filter,
  matches,
  mayPass,
  parseFilter,
} from '../../../src/api/query/filter.ts';
import { anyCharacter } from '../../any-character.ts';
import { problemOf } from '../../sidecar/export/problem-of.ts';

const HASH = `0x${'0a'.repeat(32)}`;

/** As text that is the same for both parsers: joined in pairs from the left, as RSQL groups. */
function spell(filter: Filter): string {
  if (filter.kind === 'match') {
    const values = filter.patterns.map(({ text, isPrefix }) => JSON.stringify(isPrefix ? `${text}*` : text));
    return `${filter.field}${filter.negated ? ' not' : ''} in ${values.join(' ')}`;
  }
  const [first, ...rest] = filter.parts.map(spell);
  return rest.reduce((left, right) => `(${left} ${filter.kind} ${right})`, first!);
}

/** The same for the result of another RSQL parser. */
function spellNode(node: ExpressionNode): string {
  if (node.type === 'LOGIC') {
    const kind = node.operator === ';' || node.operator === 'and' ? 'all' : 'any';
    return `(${spellNode(node.left as ExpressionNode)} ${kind} ${spellNode(node.right as ExpressionNode)})`;
  }
  const { left, operator, right } = node as Extract<ExpressionNode, { left: { selector: string } }>;
  const values = [right.value].flat().map((value) => JSON.stringify(value));
  return `${left.selector}${operator === '!=' || operator === '=out=' ? ' not' : ''} in ${values.join(' ')}`;
}

const value = fc.oneof(
  fc.constantFrom('ATLAS', 'android', '"and"', 'É∑', 'AT*', '[x]', 'a.b/c', '0'),
  fc
    .string({ unit: anyCharacter, minLength: 1, maxLength: 12 })
    .filter((text) => !text.endsWith('*'))
    .map((text) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`),
  fc.constantFrom("'it\\'s'", '"a;b,c==(d)"', '"\\\\"'),
);
const comparison = fc.oneof(
  fc.tuple(fc.constantFrom('agent==', 'agent!=', 'agent == '), value).map((parts) => parts.join('')),
  fc
    .tuple(fc.constantFrom('agent=in=', 'agent=out='), fc.array(value, { minLength: 1, maxLength: 3 }))
    .map(([operator, values]) => `${operator}(${values.join(',')})`),
  fc.constantFrom('event_type==mic_*', `attestation_hash==${HASH}`, 'cycle=in=(C-1,C-15*)'),
);
const { filter } = fc.letrec<{ filter: string }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3 },
    comparison,
    fc
      .tuple(tie('filter'), fc.constantFrom(';', ',', ' and ', ' or ', ' ; '), tie('filter'))
      .map((parts) => parts.join('')),
    tie('filter').map((inner) => `(${inner})`),
  ),
}));

describe('a filter', () => {
  test('is parsed as by an independent RSQL parser', () => {
    const property = fc.property(filter, (text) => {
      expect(spell(parseFilter(text))).toBe(spellNode(parse(text)));
    });
    fc.assert(property, { numRuns: 500, seed: 5 });
  });

  test('has and bind more tightly than or', () => {
    expect(spell(parseFilter('agent==A,agent==B;agent==C'))).toBe(
      '(agent in "A" any (agent in "B" all agent in "C"))',
    );
  });

  test('treats a star at the end of a value as any ending, and one in quotes as a star', () => {
    expect(parseFilter('agent==AT*')).toMatchObject({ patterns: [{ text: 'AT', isPrefix: true }] });
    expect(parseFilter('agent=="AT*"')).toMatchObject({ patterns: [{ text: 'AT*', isPrefix: false }] });
  });

  const FIELDS = FIELD_NAMES.join(', ');
  const OPERATORS = '==, !=, =in=, =out=';
  test.each<[text: string, character: number, expected: string, found: string]>([
    [' ', 2, `one of ${FIELDS}, or a parenthesis`, 'the end'],
    ['agent', 6, `one of ${OPERATORS}`, 'the end'],
    ['Agent==ATLAS', 1, `one of ${FIELDS}`, '"Agent"'],
    ['constructor==x', 1, `one of ${FIELDS}`, '"constructor"'],
    ['agent=like=ATLAS', 6, `one of ${OPERATORS}`, '"=like="'],
    ['cycle=gt=C-1', 6, `one of ${OPERATORS}`, '"=gt="'],
    ['cycle>=C-1', 6, `one of ${OPERATORS}`, '">="'],
    ['agent=~^A.*', 6, `one of ${OPERATORS}`, '"=~"'],
    ['agent=in=ATLAS', 10, 'a list like (A,B)', '"A"'],
    ['agent=in=(A,)', 13, 'a value', '")"'],
    ['agent=in=(A;B)', 12, 'a comma or a closing parenthesis', '";"'],
    ['agent==(A,B)', 8, 'a value', '"("'],
    ['agent==A)', 9, '; , and, or, or the end', '")"'],
    ['agent==A agent==B', 10, '; , and, or, or the end', '"a"'],
    ['agent==A && agent==B', 10, '; , and, or, or the end', '"&"'],
    ["agent=='A\\'", 8, "a closing '", 'the end'],
    ['agent==""', 8, 'a name of 1 to 200 characters, or a prefix like AT*', '"\\"\\""'],
    ['agent==*', 8, 'a name of 1 to 200 characters, or a prefix like AT*', '"*"'],
    ['agent==*LAS', 8, 'a * only at the end of a value, or the value in quotes', '"*LAS"'],
    ['agent==A*S*', 8, 'a * only at the end of a value, or the value in quotes', '"A*S*"'],
    ['event_type==MicMint', 13, 'a type like mic_mint, or a prefix like mic_*', '"MicMint"'],
    ['cycle==C-0151', 8, 'a cycle like C-151, or a prefix like C-15*', '"C-0151"'],
    ['attestation_hash==0xAB*', 19, '0x and 64 lower-case hex digits, or a prefix like 0x1f*', '"0xAB*"'],
    [
      'agent==B;attestation_hash==0xab',
      28,
      '0x and 64 lower-case hex digits, or a prefix like 0x1f*',
      '"0xab"',
    ],
    ['agent==A;\u{1f512}==B', 10, `one of ${FIELDS}`, '"\u{1f512}"'],
  ])('%j is refused, with the place', (text, character, expected, found) => {
    const detail = `The filter, character ${character}: expected ${expected}, found ${found}.`;
    expect(problemOf(() => parseFilter(text))).toEqual({ code: 'invalid_filter', detail });
  });
});

describe('the limits of a filter', () => {
  const nested = (depth: number) => `${'('.repeat(depth)}agent==A${')'.repeat(depth)}`;
  const many = (count: number, text: string, joint: string) => Array<string>(count).fill(text).join(joint);

  test.each<[name: keyof typeof FILTER_LIMITS, most: string, over: string, detail: RegExp]>([
    [
      'characters',
      `agent==A${' '.repeat(FILTER_LIMITS.characters - 8)}`,
      `agent==A${' '.repeat(FILTER_LIMITS.characters - 7)}`,
      /^The filter: expected at most 4096 characters, found 4097\.$/,
    ],
    [
      'depth',
      nested(FILTER_LIMITS.depth),
      nested(FILTER_LIMITS.depth + 1),
      /character 17: expected at most 16 nested parentheses, found one more\.$/,
    ],
    [
      'comparisons',
      many(FILTER_LIMITS.comparisons, 'agent==A', ';'),
      many(FILTER_LIMITS.comparisons + 1, 'agent==A', ';'),
      /expected at most 64 comparisons, found one more\.$/,
    ],
    [
      'values',
      `agent=in=(${many(FILTER_LIMITS.values, 'A', ',')})`,
      `agent=in=(${many(FILTER_LIMITS.values + 1, 'A', ',')})`,
      /expected at most 200 values, found one more\.$/,
    ],
  ])('%s', (_, most, over, detail) => {
    expect(() => parseFilter(most)).not.toThrow();
    expect(problemOf(() => parseFilter(over))).toEqual({
      code: 'invalid_filter',
      detail: expect.stringMatching(detail),
    });
  });

  test('hold for any text: the result is a filter or a problem', () => {
    const token = fc.constantFrom(...['==', '!=', '=in=', 'agent', 'and', ...'();,"\\ A*é']);
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: anyCharacter }),
          fc.array(token).map((all) => all.join('')),
        ),
        (text) => {
          try {
            parseFilter(text);
          } catch {
            expect(problemOf(() => parseFilter(text)).code).toBe('invalid_filter');
          }
        },
      ),
    );
  });

  test('keep the time short: what follows a fault is not looked at', () => {
    const unclosed = `agent=="${'\\"'.repeat(2_040)}`;
    const begun = performance.now();
    for (let times = 0; times < 200; times += 1) expect(() => parseFilter(unclosed)).toThrow('a closing "');
    // Less than a tenth of a second; some seconds if each quote were followed to the end.
    expect(performance.now() - begun).toBeLessThan(1_500);
  });
});

describe('whether events of a cycle may pass a filter', () => {
  test.each<[text: string, may: boolean]>([
    ['cycle==C-1', true],
    ['cycle!=C-1', false],
    ['cycle==C-2', false],
    ['cycle=in=(C-2,C-*)', true],
    ['agent==A', true],
    ['agent!=A', true],
    ['agent==A;cycle==C-1', true],
    ['agent==A;cycle==C-2', false],
    ['agent==A,cycle==C-2', true],
    ['(agent==A,cycle==C-2);(agent==B;cycle==C-1)', true],
    ['(agent==A;cycle==C-2),(agent==B;cycle==C-3)', false],
  ])('%s', (text, may) => {
    expect(mayPass(parseFilter(text), 'C-1')).toBe(may);
  });
});

test('the examples of a type and its agents select what the documentation of the events shows', () => {
  const pages = ['export', 'problems']
    .map((name) => readFileSync(resolve(`docs/${name}.md`), 'utf8'))
    .join('');
  const examples = [...pages.matchAll(/event_type==(\w+);agent=in=\([^)]+\)/g)];
  expect(examples).toHaveLength(4);
  for (const [filter, type] of examples) {
    const { agent } = exampleOf(type as KnownType);
    const fields = { event_type: type!, agent, cycle: 'C-1', attestation_hash: HASH };
    expect([filter, matches(parseFilter(filter), fields)]).toEqual([filter, true]);
  }
});
