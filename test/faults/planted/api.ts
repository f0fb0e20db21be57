import type { PlantedFault } from './planted-fault.ts';

const HTTP = ['test/contract/http.test.ts'];

/** What the service promises over HTTP: problems, quotas, queries. */
export const FAULTS: readonly PlantedFault[] = [
  {
    name: 'and binds no more closely than or',
    breaks: 'In a filter, and binds more closely than or.',
    file: 'src/api/query/filter.ts',
    change: [
      "this.#take(';', 'and')) parts.push(this.#term(depth))",
      "this.#take(';', 'and')) parts.push(this.#any(depth))",
    ],
    tests: ['test/api/query/filter.test.ts'],
  },
  {
    name: 'one more parenthesis is allowed',
    breaks: 'A filter has at most 16 nested parentheses.',
    file: 'src/api/query/filter.ts',
    change: ['if (depth === FILTER_LIMITS.depth)', 'if (depth > FILTER_LIMITS.depth)'],
    tests: HTTP,
  },
  {
    name: '=out= selects the list',
    breaks: 'An export has exactly the events that the filter selects.',
    file: 'src/api/query/filter.ts',
    change: ["'=out=': { negated: true,", "'=out=': { negated: false,"],
    tests: HTTP,
  },
  {
    name: 'an economist has ten times the quota',
    breaks: 'Requests per day of each tier.',
    file: 'src/api/quotas.ts',
    change: ['economist: 2_000', 'economist: 20_000'],
    tests: HTTP,
  },
  {
    name: 'the reset is told in milliseconds',
    breaks: 'RateLimit and Retry-After are seconds to midnight UTC.',
    file: 'src/api/quotas.ts',
    change: ['Math.ceil((DAY_MS - (time % DAY_MS)) / SECOND_MS)', 'Math.ceil(DAY_MS - (time % DAY_MS))'],
    tests: HTTP,
  },
  {
    name: 'a refusal has no Retry-After',
    breaks: 'Beyond the quota, the response has Retry-After.',
    file: 'src/api/quotas.ts',
    change: ["...(allowed ? {} : { 'Retry-After': String(resetSeconds) }),", ''],
    tests: HTTP,
  },
  {
    name: 'a problem has no code',
    breaks: 'Every error is a problem document with a stable code.',
    file: 'src/api/problem.ts',
    change: ['detail: message, instance, code })', 'detail: message, instance })'],
    tests: HTTP,
  },
  {
    name: 'a problem has the wrong page',
    breaks: 'The type of a problem is the address of its page.',
    file: 'src/api/problem.ts',
    change: ['return `/problems/${code}/`;', 'return `/problem/${code}/`;'],
    tests: HTTP,
  },
  {
    name: 'the last of two values is taken',
    breaks: 'Nothing is guessed: a parameter that occurs twice is refused.',
    file: 'src/api/query/query.ts',
    change: ["else if (name in sent) throw invalidParameter(name, 'one value', 'the parameter twice');", ''],
    tests: HTTP,
  },
  {
    name: 'a parameter without a value is left out',
    breaks: 'Nothing is guessed: a parameter needs a value.',
    file: 'src/api/query/query.ts',
    change: [
      "else if (value === '') throw invalidParameter(name, 'a value', 'none');",
      "else if (value === '') continue;",
    ],
    tests: HTTP,
  },
  {
    name: 'the query of a file of the log is not read',
    breaks: 'Each path takes the parameters of its row in the table of routes, and no others.',
    file: 'src/api/routes/log.ts',
    change: ['    query: NONE,\n    answer', '    query: null,\n    answer'],
    tests: HTTP,
  },
  {
    name: 'a document is verified without being sent',
    breaks: 'One path takes only POST.',
    file: 'src/api/routes/route.ts',
    change: ["['POST', 'OPTIONS'] as const", "['POST', 'GET', 'OPTIONS'] as const"],
    tests: HTTP,
  },
  {
    name: 'an academic key covers the economy',
    breaks: 'A key has one tier and some of its areas.',
    file: 'src/api/tiers.ts',
    change: ["    areas: ['academics', 'philosophy'],", "    areas: ['economy', 'academics', 'philosophy'],"],
    tests: ['test/contract/keys.test.ts'],
  },
  {
    name: 'a rotated key is valid for a day',
    breaks: 'After a rotation, the previous key keeps working for 14 days.',
    file: 'src/api/tiers.ts',
    change: ['OVERLAP_DAYS = 14', 'OVERLAP_DAYS = 1'],
    tests: ['test/contract/keys.test.ts'],
  },
];
