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

const OPERATOR = /==|!=|=in=|=out=/y;
/** Any RSQL operator, to name what was found. */
const ANY_OPERATOR = /=[a-z]*=|[<>]=?|[=!~]+/y;
const SPACE = /[ \t\r\n]*/y;
/** What RSQL allows without quotes. */
const WORD = /[^"'();,=!~<> \t\r\n]+/y;

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
  return new Reader(text).filter();
}

class Reader {
  readonly #text: string;
  #at = 0;
  #comparisons = 0;
  #values = 0;

  constructor(text: string) {
    this.#text = text;
  }

  filter(): Filter {
    const filter = this.#any(0);
    if (this.#at < this.#text.length) throw this.#fault('; , and, or, or the end');
    return filter;
  }

  #any(depth: number): Filter {
    const parts = [this.#all(depth)];
    while (this.#takeOperator(',', 'or')) parts.push(this.#all(depth));
    return parts.length === 1 ? parts[0]! : { kind: 'any', parts };
  }

  #all(depth: number): Filter {
    const parts = [this.#term(depth)];
    while (this.#takeOperator(';', 'and')) parts.push(this.#term(depth));
    return parts.length === 1 ? parts[0]! : { kind: 'all', parts };
  }

  #term(depth: number): Filter {
    if (!this.#take('(')) return this.#comparison();
    if (depth === FILTER_LIMITS.depth)
      throw this.#fault(`at most ${FILTER_LIMITS.depth} nested parentheses`, 'one more', this.#at - 1);
    const filter = this.#any(depth + 1);
    if (!this.#take(')')) throw this.#fault('; , and, or, or a closing parenthesis');
    return filter;
  }

  #comparison(): Filter {
    this.#skipSpace();
    this.#comparisons += 1;
    if (this.#comparisons > FILTER_LIMITS.comparisons)
      throw this.#fault(`at most ${FILTER_LIMITS.comparisons} comparisons`, 'one more');
    const field = this.#field();
    const { negated, isList } = this.#operator();
    return { kind: 'match', field, negated, patterns: this.#patterns(field, isList) };
  }

  #field(): Field {
    const at = this.#at;
    const name = this.#match(WORD);
    const field = FIELD_NAMES.find((known) => known === name);
    if (field) return field;
    const expected = `one of ${FIELD_NAMES.join(', ')}${name === '' ? ', or a parenthesis' : ''}`;
    throw this.#fault(expected, name === '' ? undefined : quoted(name), at);
  }

  #operator() {
    this.#skipSpace();
    const at = this.#at;
    const operator = this.#match(OPERATOR);
    if (operator !== '') return OPERATORS[operator as keyof typeof OPERATORS];
    const found = this.#match(ANY_OPERATOR);
    throw this.#fault(
      `one of ${Object.keys(OPERATORS).join(', ')}`,
      found === '' ? undefined : quoted(found),
      at,
    );
  }

  #patterns(field: Field, isList: boolean): Pattern[] {
    if (!isList) return [this.#pattern(field)];
    if (!this.#take('(')) throw this.#fault('a list like (A,B)');
    const patterns = [this.#pattern(field)];
    while (this.#take(',')) patterns.push(this.#pattern(field));
    if (!this.#take(')')) throw this.#fault('a comma or a closing parenthesis');
    return patterns;
  }

  #pattern(field: Field): Pattern {
    this.#skipSpace();
    this.#values += 1;
    if (this.#values > FILTER_LIMITS.values)
      throw this.#fault(`at most ${FILTER_LIMITS.values} values`, 'one more');
    const at = this.#at;
    const pattern = this.#quotedPattern() ?? this.#plainPattern();
    if (canMatch(field, pattern)) return pattern;
    throw this.#fault(FIELDS[field].expected, quoted(this.#text.slice(at, this.#at)), at);
  }

  #plainPattern(): Pattern {
    const at = this.#at;
    const word = this.#match(WORD);
    if (word === '') throw this.#fault('a value');
    const star = word.indexOf('*');
    if (star >= 0 && star < word.length - 1)
      throw this.#fault('a * only at the end of a value, or the value in quotes', quoted(word), at);
    return star < 0 ? { text: word, isPrefix: false } : { text: word.slice(0, -1), isPrefix: true };
  }

  /** In single or double quotes; a backslash escapes the next character. */
  #quotedPattern(): Pattern | null {
    const begin = this.#at;
    const quote = this.#text[begin];
    if (quote !== '"' && quote !== "'") return null;
    let text = '';
    for (let at = begin + 1; at < this.#text.length; at += 1) {
      if (this.#text[at] === quote) {
        this.#at = at + 1;
        return { text, isPrefix: false };
      }
      if (this.#text[at] === '\\') at += 1;
      text += this.#text[at] ?? '';
    }
    throw this.#fault(`a closing ${quote}`, 'the end', begin);
  }

  #takeOperator(symbol: string, word: string): boolean {
    if (this.#take(symbol)) return true;
    const at = this.#at;
    if (this.#match(WORD) === word) return true;
    this.#at = at;
    return false;
  }

  #take(symbol: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== symbol) return false;
    this.#at += 1;
    return true;
  }

  #skipSpace(): void {
    this.#match(SPACE);
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  #fault(expected: string, found = this.#next(), at = this.#at): Problem {
    return new Problem(
      'invalid_filter',
      `The filter, character ${at + 1}: expected ${expected}, found ${found}.`,
    );
  }

  #next(): string {
    const character = this.#text.codePointAt(this.#at);
    return character === undefined ? 'the end' : quoted(String.fromCodePoint(character));
  }
}
