import type { Column, ColumnType } from '../../../../pipeline/formats/columns.ts';

/** How a column is compared, as addresses write it. */
const OPERATORS = ['contains', 'eq', 'gt', 'lt', 'between', 'empty', 'filled'] as const;
export type Operator = (typeof OPERATORS)[number];

export const OPERATOR_WORDS: Readonly<Record<Operator, string>> = {
  contains: 'contains',
  eq: 'is',
  gt: 'is above',
  lt: 'is below',
  between: 'is between',
  empty: 'is empty',
  filled: 'is not empty',
};

/** For times, which come before and after. */
export const TIME_WORDS: Readonly<Partial<Record<Operator, string>>> = {
  gt: 'is after',
  lt: 'is before',
  eq: 'is on',
};

export interface Filter {
  column: string;
  operator: Operator;
  /** One value, two for `between`, none for `empty` and `filled`. */
  values: readonly string[];
}

export interface Selection {
  /** From 1. */
  page: number;
  /** Null: the order of the file. */
  sort: { column: string; descending: boolean } | null;
  filters: readonly Filter[];
}

/** What the selection needs to know of a column. */
export type ColumnAbout = Pick<Column, 'name' | 'type' | 'nullable'>;

/** A part of the address that selects nothing: where it stands, what would be right there, and what is. */
export interface Wrong {
  place: string;
  expected: string;
  found: string;
}

export const ROWS_A_PAGE = 50;
export const MOST_FILTERS = 8;
const LONGEST_VALUE = 200;
const LONGEST_SHOWN = 80;
const NUMBER = /^[-+]?\d{1,30}(\.\d{1,12})?$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/;

const ORDERED: readonly Operator[] = ['eq', 'gt', 'lt', 'between'];
const TEXTUAL: readonly Operator[] = ['contains', 'eq'];
const BY_TYPE: Readonly<Record<ColumnType, readonly Operator[]>> = {
  text: TEXTUAL,
  list: ['contains'],
  integers: ['contains'],
  boolean: ['eq'],
  integer: ORDERED,
  number: ORDERED,
  decimal: ORDERED,
  date: ORDERED,
  datetime: ORDERED,
};

/** The comparisons that a column has. Any column of text may hold an empty text. */
export function operatorsOf({ type, nullable }: Pick<ColumnAbout, 'type' | 'nullable'>): Operator[] {
  return [...BY_TYPE[type], ...(nullable || type === 'text' ? (['empty', 'filled'] as const) : [])];
}

export function isTime(type: ColumnType): boolean {
  return type === 'date' || type === 'datetime';
}

export function isNumber(type: ColumnType): boolean {
  return type === 'integer' || type === 'number' || type === 'decimal';
}

/** What `?page=…&sort=…&filter=…` asks for, and what of it cannot be: unknown columns, values of another type. */
export function parseSelection(
  query: URLSearchParams,
  columns: readonly ColumnAbout[],
): { selection: Selection; wrong: Wrong[] } {
  const wrong: Wrong[] = [];
  const page = query.get('page') ?? '1';
  if (!/^[1-9]\d{0,8}$/.test(page)) wrong.push(fault('page', 'a whole number from 1', page));
  const sort = parseSort(query.get('sort'), columns, wrong);
  const texts = query.getAll('filter');
  if (texts.length > MOST_FILTERS)
    wrong.push(fault('filter', `at most ${MOST_FILTERS} filters`, String(texts.length)));
  const filters = texts.slice(0, MOST_FILTERS).flatMap((text) => parseFilter(text, columns, wrong));
  return { selection: { page: Number(page) || 1, sort, filters }, wrong };
}

function parseSort(text: string | null, columns: readonly ColumnAbout[], wrong: Wrong[]): Selection['sort'] {
  if (text === null || text === '') return null;
  const descending = text.startsWith('-');
  const column = descending ? text.slice(1) : text;
  if (columns.some(({ name }) => name === column)) return { column, descending };
  wrong.push(fault('sort', namesOf(columns), column));
  return null;
}

/** `amount:gt:400`, `date:between:2026-01-01,2026-01-31`, `reason:empty`. A text may contain colons. */
function parseFilter(text: string, columns: readonly ColumnAbout[], wrong: Wrong[]): Filter[] {
  const [, name = '', operator = '', rest = ''] = /^([^:]*):?([^:]*):?(.*)$/s.exec(text) ?? [];
  const place = `filter=${text.slice(0, LONGEST_SHOWN)}`;
  const column = columns.find((one) => one.name === name);
  if (!column) {
    wrong.push(fault(place, namesOf(columns), name));
    return [];
  }
  const known = operatorsOf(column);
  if (!known.includes(operator as Operator)) {
    wrong.push(fault(place, `for ${name}, ${listed(known)}`, operator));
    return [];
  }
  const filter = {
    column: name,
    operator: operator as Operator,
    values: valuesOf(operator as Operator, rest),
  };
  const problem = filter.values
    .map((value) => valueProblem(column.type, filter.operator, value))
    .find((one) => one !== null);
  if (problem) {
    wrong.push(fault(place, problem, rest));
    return [];
  }
  return [filter];
}

function valuesOf(operator: Operator, rest: string): string[] {
  if (operator === 'empty' || operator === 'filled') return [];
  if (operator !== 'between') return [rest];
  const [from = '', ...to] = rest.split(',');
  return [from, to.join(',')];
}

/** What would be right instead of this value; null: it is. */
function valueProblem(type: ColumnType, operator: Operator, value: string): string | null {
  if (value.length > LONGEST_VALUE) return `at most ${LONGEST_VALUE} characters`;
  if (operator === 'contains') return value === '' ? 'a text to look for' : null;
  if (isTime(type))
    return isDay(value) || (type === 'datetime' && MOMENT.test(value))
      ? null
      : `${operator === 'between' ? 'two days, each ' : 'a day '}as YYYY-MM-DD${type === 'datetime' ? ', or a time as 2026-01-31T12:00:00Z' : ''}`;
  if (type === 'boolean') return value === 'true' || value === 'false' ? null : 'true or false';
  if (isNumber(type))
    return NUMBER.test(value)
      ? null
      : `${operator === 'between' ? 'two numbers, each like' : 'a number like'} 400 or 0.95`;
  return null;
}

/** Date.parse accepts 30 February. */
function isDay(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function fault(place: string, expected: string, found: string): Wrong {
  return { place, expected, found: found === '' ? 'nothing' : found.slice(0, LONGEST_SHOWN) };
}

function namesOf(columns: readonly ColumnAbout[]): string {
  return `a column: ${listed(columns.map(({ name }) => name))}`;
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

/** The address of a selection, `?page=2&sort=-amount`; empty for the first page of the whole table. */
export function formatSelection({ page, sort, filters }: Selection): string {
  const parts = [
    ...(page > 1 ? [`page=${page}`] : []),
    ...(sort ? [`sort=${sort.descending ? '-' : ''}${encode(sort.column)}`] : []),
    ...filters.map((filter) => `filter=${encode(formatFilter(filter))}`),
  ];
  return parts.length > 0 ? `?${parts.join('&')}` : '';
}

function formatFilter({ column, operator, values }: Filter): string {
  return [column, operator, ...(values.length > 0 ? [values.join(',')] : [])].join(':');
}

/** Colons and commas may stand in a query as they are. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll('%3A', ':').replaceAll('%2C', ',');
}

/** `amount is above 400`, in words. */
export function filterWords({ column, operator, values }: Filter, type: ColumnType): string {
  const words = (isTime(type) && TIME_WORDS[operator]) || OPERATOR_WORDS[operator];
  const quoted = values.map((value) => (type === 'text' || type === 'list' ? `“${value}”` : value));
  return [column, words, ...(quoted.length > 0 ? [quoted.join(' and ')] : [])].join(' ');
}
