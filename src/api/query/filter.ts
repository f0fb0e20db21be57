import { Problem } from '../problem.ts';
import { quoted } from './query.ts';

/** The fields of a filter: columns of the export, and the cycle, which follows from the time. */
const FIELDS = {
  event_type: {
    whole: /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/,
    beginning: /^[a-z][a-z0-9_]*$/,
    expected: 'a type like mic_mint, or a prefix like mic_*',
  },
  agent: {
    whole: /^.{1,200}$/s,
    beginning: /^.{1,200}$/s,
    expected: 'a name of 1 to 200 characters, or a prefix like AT*',
  },
  cycle: {
    whole: /^C-(0|[1-9]\d*)$/,
    beginning: /^C-(0|[1-9]\d*)?$/,
    expected: 'a cycle like C-151, or a prefix like C-15*',
  },
  attestation_hash: {
    whole: /^0x[0-9a-f]{64}$/,
    beginning: /^0x[0-9a-f]{0,63}$/,
    expected: '0x and 64 lower-case hex digits, or a prefix like 0x1f*',
  },
} as const;

export type Field = keyof typeof FIELDS;
export const FIELD_NAMES = Object.keys(FIELDS) as Field[];

/** What a field is compared with: a whole value, or a prefix. */
interface Pattern {
  text: string;
  isPrefix: boolean;
}

/** Whether the field can ever match. A comparison that cannot is a mistake, and its empty result would look like an answer. */
function canMatch(field: Field, { text, isPrefix }: Pattern): boolean {
  const { whole, beginning } = FIELDS[field];
  return (isPrefix ? beginning : whole).test(text);
}

/** A parsed filter. `match` is true if a field matches one of the patterns, or none of them if negated. */
export type Filter =
  | { kind: 'all' | 'any'; parts: readonly Filter[] }
  | { kind: 'match'; field: Field; negated: boolean; patterns: readonly Pattern[] };

/** Whether an event with these fields passes the filter. */
export function matches(filter: Filter, fields: Readonly<Record<Field, string>>): boolean {
  if (filter.kind === 'match') {
    const text = fields[filter.field];
    return filter.patterns.some((pattern) => matchesPattern(text, pattern)) !== filter.negated;
  }
  const test = (part: Filter) => matches(part, fields);
  return filter.kind === 'all' ? filter.parts.every(test) : filter.parts.some(test);
}

/** Whether any event of a cycle can pass the filter. */
export function mayPass(filter: Filter, cycle: string): boolean {
  if (filter.kind === 'match') return filter.field !== 'cycle' || matches(filter, { ...ANY, cycle });
  const test = (part: Filter) => mayPass(part, cycle);
  return filter.kind === 'all' ? filter.parts.every(test) : filter.parts.some(test);
}

const ANY: Readonly<Record<Field, string>> = { event_type: '', agent: '', cycle: '', attestation_hash: '' };

function matchesPattern(text: string, pattern: Pattern): boolean {
  return pattern.isPrefix ? text.startsWith(pattern.text) : text === pattern.text;
}

/** Of one filter. Every row is compared, so these bound the time for a row. */
export const FILTER_LIMITS = {
  /** Up to three times as long in an address, and the access log stores 8192 characters of a query. */
  characters: 4096,
  /** Nested parentheses. */
  depth: 16,
  comparisons: 64,
  /** In all lists together. */
  values: 200,
} as const;

const OPERATORS = {
  '==': { negated: false, isList: false },
  '!=': { negated: true, isList: false },
  '=in=': { negated: false, isList: true },
  '=out=': { negated: true, isList: true },
} as const;

/** Text in quotes, an operator, a sign, a word, spaces; or what RSQL has elsewhere, to name what was found. */
const TOKEN =
  /(?<text>"(?:\\.|[^\\"])*"|'(?:\\.|[^\\'])*')|(?<operator>==|!=|=in=|=out=)|(?<sign>[();,])|(?<word>[^"'();,=!~<> \t\r\n]+)|(?<space>[ \t\r\n]+)|(?<other>=[a-z]*=|[<>]=?|[=!~]+|["'])/gs;

interface Token {
  kind: 'text' | 'operator' | 'sign' | 'word' | 'other' | 'end';
  text: string;
  at: number;
}

/** Without spaces, and at last the end without end. They are made as they are read, so that what follows a fault is not looked at. */
function* tokensOf(filter: string): Generator<Token, never> {
  for (const { 0: text, index: at, groups } of filter.matchAll(TOKEN)) {
    const kind = Object.keys(groups!).find((name) => groups![name] !== undefined)!;
    if (kind !== 'space') yield { kind: kind as Token['kind'], text, at };
  }
  while (true) yield { kind: 'end', text: '', at: filter.length };
}

/**
 * Parses RSQL in linear time: comparisons joined by `;` or `and`, then by `,` or `or`, and parentheses. A `*` at the end of an
 * unquoted value matches any ending. Throws a Problem invalid_filter with the place.
 */
export function parseFilter(text: string): Filter {
  if (text.length > FILTER_LIMITS.characters) {
    const found = `${text.length}`;
    throw new Problem(
      'invalid_filter',
      `The filter: expected at most ${FILTER_LIMITS.characters} characters, found ${found}.`,
    );
  }
  return new Reader(tokensOf(text)).filter();
}

class Reader {
  readonly #tokens: Generator<Token, never>;
  #next: Token;
  #comparisons = 0;
  #values = 0;

  constructor(tokens: Generator<Token, never>) {
    this.#tokens = tokens;
    this.#next = tokens.next().value;
  }

  filter(): Filter {
    const filter = this.#any(0);
    if (this.#next.kind !== 'end') throw this.#fault('; , and, or, or the end');
    return filter;
  }

  #any(depth: number): Filter {
    const parts = [this.#all(depth)];
    while (this.#take(',', 'or')) parts.push(this.#all(depth));
    return parts.length === 1 ? parts[0]! : { kind: 'any', parts };
  }

  #all(depth: number): Filter {
    const parts = [this.#term(depth)];
    while (this.#take(';', 'and')) parts.push(this.#term(depth));
    return parts.length === 1 ? parts[0]! : { kind: 'all', parts };
  }

  #term(depth: number): Filter {
    const opening = this.#next;
    if (!this.#take('(')) return this.#comparison();
    if (depth === FILTER_LIMITS.depth)
      throw this.#fault(`at most ${FILTER_LIMITS.depth} nested parentheses`, opening, 'one more');
    const filter = this.#any(depth + 1);
    if (!this.#take(')')) throw this.#fault('; , and, or, or a closing parenthesis');
    return filter;
  }

  #comparison(): Filter {
    this.#comparisons += 1;
    if (this.#comparisons > FILTER_LIMITS.comparisons)
      throw this.#fault(`at most ${FILTER_LIMITS.comparisons} comparisons`, this.#next, 'one more');
    const name = this.#read();
    const field = FIELD_NAMES.find((known) => known === name.text);
    if (!field) {
      const isWord = name.kind === 'word';
      const expected = `one of ${FIELD_NAMES.join(', ')}${isWord ? '' : ', or a parenthesis'}`;
      throw this.#fault(expected, name, isWord ? quoted(name.text) : firstOf(name));
    }
    const operator = this.#read();
    if (operator.kind !== 'operator') {
      const found = operator.kind === 'other' ? quoted(operator.text) : firstOf(operator);
      throw this.#fault(`one of ${Object.keys(OPERATORS).join(', ')}`, operator, found);
    }
    const { negated, isList } = OPERATORS[operator.text as keyof typeof OPERATORS];
    return { kind: 'match', field, negated, patterns: isList ? this.#list(field) : [this.#pattern(field)] };
  }

  #list(field: Field): Pattern[] {
    if (!this.#take('(')) throw this.#fault('a list like (A,B)');
    const patterns = [this.#pattern(field)];
    while (this.#take(',')) patterns.push(this.#pattern(field));
    if (!this.#take(')')) throw this.#fault('a comma or a closing parenthesis');
    return patterns;
  }

  #pattern(field: Field): Pattern {
    this.#values += 1;
    if (this.#values > FILTER_LIMITS.values)
      throw this.#fault(`at most ${FILTER_LIMITS.values} values`, this.#next, 'one more');
    const value = this.#read();
    const pattern = this.#patternOf(value);
    if (canMatch(field, pattern)) return pattern;
    throw this.#fault(FIELDS[field].expected, value, quoted(value.text));
  }

  /** In quotes, a backslash escapes the next character. */
  #patternOf(value: Token): Pattern {
    const { kind, text } = value;
    if (kind === 'text') return { text: text.slice(1, -1).replace(/\\(.)/gs, '$1'), isPrefix: false };
    if (text === '"' || text === "'") throw this.#fault(`a closing ${text}`, value, 'the end');
    if (kind !== 'word') throw this.#fault('a value', value);
    const star = text.indexOf('*');
    if (star >= 0 && star < text.length - 1)
      throw this.#fault('a * only at the end of a value, or the value in quotes', value, quoted(text));
    return star < 0 ? { text, isPrefix: false } : { text: text.slice(0, -1), isPrefix: true };
  }

  #read(): Token {
    const token = this.#next;
    this.#next = this.#tokens.next().value;
    return token;
  }

  #take(...spellings: readonly string[]): boolean {
    const { kind, text } = this.#next;
    if ((kind !== 'sign' && kind !== 'word') || !spellings.includes(text)) return false;
    this.#read();
    return true;
  }

  #fault(expected: string, token = this.#next, found = firstOf(token)): Problem {
    return new Problem(
      'invalid_filter',
      `The filter, character ${token.at + 1}: expected ${expected}, found ${found}.`,
    );
  }
}

/** The first character of a token, for messages. */
function firstOf({ kind, text }: Token): string {
  return kind === 'end' ? 'the end' : quoted(String.fromCodePoint(text.codePointAt(0)!));
}
