import type { Column, ColumnType } from '../../../../pipeline/formats/columns.ts';

/** How a column is compared, as addresses write it: in words, for times, which come before and after, and how many values it takes. */
export const OPERATORS = {
  contains: { words: 'contains', count: 1 },
  eq: { words: 'is', ofTimes: 'is on', count: 1 },
  gt: { words: 'is above', ofTimes: 'is after', count: 1 },
  lt: { words: 'is below', ofTimes: 'is before', count: 1 },
  between: { words: 'is between', count: 2 },
  empty: { words: 'is empty', count: 0 },
  filled: { words: 'is not empty', count: 0 },
} as const;
export type Operator = keyof typeof OPERATORS;

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
type ColumnAbout = Pick<Column, 'name' | 'type' | 'nullable'>;

/** A part of the address that selects nothing: where it stands, what would be right there, and what is. */
export interface Wrong {
  place: string;
  expected: string;
  found: string;
}

export const ROWS_A_PAGE = 50;
const MOST_FILTERS = 8;
const LONGEST_VALUE = 200;
const LONGEST_SHOWN = 80;
const NUMBER = /^[-+]?\d{1,30}(\.\d{1,12})?$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/;

export function isTime(type: ColumnType): boolean {
  return type === 'date' || type === 'datetime';
}

export function isNumber(type: ColumnType): boolean {
  return type === 'integer' || type === 'number' || type === 'decimal';
}

/** The comparisons that a column has. Any column of text may hold an empty text. */
export function operatorsOf({ type, nullable }: Pick<ColumnAbout, 'type' | 'nullable'>): Operator[] {
  const own: Operator[] =
    isTime(type) || isNumber(type)
      ? ['eq', 'gt', 'lt', 'between']
      : type === 'text'
        ? ['contains', 'eq']
        : [type === 'boolean' ? 'eq' : 'contains'];
  return nullable || type === 'text' ? [...own, 'empty', 'filled'] : own;
}

export function operatorWords(operator: Operator, type: ColumnType): string {
  const about: { words: string; ofTimes?: string } = OPERATORS[operator];
  return (isTime(type) && about.ofTimes) || about.words;
}

/** What `?page=…&sort=…&filter=…` asks for, and what of it cannot be: unknown columns, values of another type. */
export function parseSelection(
  query: URLSearchParams,
  columns: readonly ColumnAbout[],
): { selection: Selection; wrong: Wrong[] } {
  const wrong: Wrong[] = [];
  const refuse = (place: string, expected: string, found: string) => {
    wrong.push({ place, expected, found: found.slice(0, LONGEST_SHOWN) || 'nothing' });
    return [];
  };
  const known = `a column: ${listed(columns.map(({ name }) => name))}`;
  for (const name of ['page', 'sort']) {
    const given = query.getAll(name);
    if (given.length > 1) refuse(name, 'one value', given.join(' and '));
  }
  const page = query.get('page') ?? '1';
  if (!/^[1-9]\d{0,8}$/.test(page)) refuse('page', 'a whole number from 1', page);
  const asOf = query.get('as_of');
  if (asOf !== null) refuse('as_of', 'no time, since the rows are those of the newest release', asOf);
  const [, minus, sorted = ''] = /^(-?)(.*)$/s.exec(query.get('sort') ?? '')!;
  const isKnown = columns.some(({ name }) => name === sorted);
  if (sorted !== '' && !isKnown) refuse('sort', known, sorted);
  /** `amount:gt:400`, `date:between:2026-01-01,2026-01-31`, `reason:empty`. A text may contain colons. */
  const parseFilter = (text: string): Filter[] => {
    const [, name = '', how = '', rest = ''] = /^([^:]*):?([^:]*):?(.*)$/s.exec(text) ?? [];
    const place = `filter=${text.slice(0, LONGEST_SHOWN)}`;
    const column = columns.find((one) => one.name === name);
    if (!column) return refuse(place, known, name);
    const operator = operatorsOf(column).find((one) => one === how);
    if (!operator) return refuse(place, `for ${name}, ${listed(operatorsOf(column))}`, how);
    const { count } = OPERATORS[operator];
    const [from = '', ...to] = rest.split(',');
    const values = count === 2 ? [from, to.join(',')] : [rest].slice(0, count);
    const problem = values.map((value) => valueProblem(column.type, operator, value)).find(Boolean);
    return problem ? refuse(place, problem, rest) : [{ column: name, operator, values }];
  };
  const texts = query.getAll('filter');
  if (texts.length > MOST_FILTERS) refuse('filter', `at most ${MOST_FILTERS} filters`, String(texts.length));
  const filters = texts.slice(0, MOST_FILTERS).flatMap(parseFilter);
  const sort = isKnown ? { column: sorted, descending: minus === '-' } : null;
  return { selection: { page: Number(page) || 1, sort, filters }, wrong };
}

/** What would be right instead of this value; empty: it is. */
function valueProblem(type: ColumnType, operator: Operator, value: string): string {
  const isTwo = operator === 'between';
  if (value.length > LONGEST_VALUE) return `at most ${LONGEST_VALUE} characters`;
  if (operator === 'contains') return value === '' ? 'a text to look for' : '';
  if (isTime(type)) {
    if (isDay(value) || (type === 'datetime' && MOMENT.test(value))) return '';
    return `${isTwo ? 'two days, each ' : 'a day '}as YYYY-MM-DD${type === 'datetime' ? ', or a time as 2026-01-31T12:00:00Z' : ''}`;
  }
  if (type === 'boolean') return value === 'true' || value === 'false' ? '' : 'true or false';
  if (!isNumber(type) || NUMBER.test(value)) return '';
  return `${isTwo ? 'two numbers, each like' : 'a number like'} 400 or 0.95`;
}

/** Date.parse accepts 30 February. */
function isDay(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
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

export function formatFilter({
  column,
  operator,
  values,
}: Readonly<Record<'column' | 'operator', string>> & { values: readonly string[] }): string {
  return [column, operator, ...(values.length > 0 ? [values.join(',')] : [])].join(':');
}

/** Colons and commas may stand in a query as they are. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll('%3A', ':').replaceAll('%2C', ',');
}

/** `amount is above 400`, in words. */
export function filterWords({ column, operator, values }: Filter, type: ColumnType): string {
  const quoted = values.map((value) => (type === 'text' || type === 'list' ? `“${value}”` : value));
  return [column, operatorWords(operator, type), ...(quoted.length > 0 ? [quoted.join(' and ')] : [])].join(
    ' ',
  );
}
