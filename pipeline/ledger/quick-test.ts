import { z } from 'zod';

export type Test = (value: unknown) => boolean;

/**
 * A test that accepts what `schema` accepts of parsed JSON, several times as fast: it neither copies the value nor
 * says what is wrong with it. What it does not know of a schema it leaves to zod.
 */
export function quickTest(schema: z.core.$ZodType): Test {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return TESTS[def.type]?.(def) ?? ((value) => z.safeParse(schema, value).success);
}

// The definitions are a union over `type` that TypeScript cannot follow through a table.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Definition = any;

const TESTS: Record<string, (def: Definition) => Test | undefined> = {
  string(def) {
    const passes = allOf<string>(def);
    return passes && ((value) => typeof value === 'string' && passes(value));
  },
  number(def) {
    const passes = allOf<number>(def);
    return passes && ((value) => typeof value === 'number' && Number.isFinite(value) && passes(value));
  },
  array(def) {
    const passes = allOf<unknown[]>(def);
    const isElement = quickTest(def.element);
    return passes && ((value) => Array.isArray(value) && passes(value) && value.every(isElement));
  },
  enum: (def) => isOneOf(Object.values(def.entries)),
  literal: (def) => isOneOf(def.values),
  optional(def) {
    const isInner = quickTest(def.innerType);
    return (value) => value === undefined || isInner(value);
  },
  record(def) {
    if (def.valueType._zod.def.type !== 'unknown' || def.keyType._zod.def.type !== 'string') return undefined;
    return def.checks || def.keyType._zod.def.checks ? undefined : isPlainObject;
  },
  object: objectTest,
};

function objectTest(def: Definition): Test | undefined {
  const members = Object.keys(def.shape);
  const tests = Object.values<z.core.$ZodType>(def.shape).map(quickTest);
  const strict = def.catchall?._zod.def.type === 'never';
  const known = !def.checks && (strict || def.catchall?._zod.def.type === 'unknown');
  // Where a member may be missing, counting does not tell whether all that are there are known.
  if (!known || (strict && tests.some((isMember) => isMember(undefined)))) return undefined;
  return (value) => {
    if (!isPlainObject(value) || (strict && Object.keys(value).length !== members.length)) return false;
    for (let i = 0; i < members.length; i++) if (!tests[i]!(value[members[i]!])) return false;
    return true;
  };
}

/** One test for all checks of a definition, its own format among them; none where one is not in the table. */
function allOf<T>(def: Definition): ((value: T) => boolean) | undefined {
  const checks = [
    ...(def.check ? [def] : []),
    ...(def.checks ?? []).map((check: Definition) => check._zod.def),
  ];
  const tests = checks.map((check) => CHECKS[check.check]?.(check));
  if (tests.includes(undefined)) return undefined;
  const [first = () => true, second = () => true, ...others] = tests as ((value: T) => boolean)[];
  if (others.length === 0) return (value) => first(value) && second(value);
  return (value) => first(value) && second(value) && others.every((test) => test(value));
}

/** Formats that are their pattern and nothing more. */
const PATTERN_FORMATS = ['regex', 'datetime', 'date', 'guid'];

// biome-ignore lint/suspicious/noExplicitAny: a check is only ever given what its schema's type holds
const CHECKS: Record<string, (check: Definition) => ((value: any) => boolean) | undefined> = {
  greater_than: ({ value: bound, inclusive }) =>
    inclusive ? (value: number) => value >= bound : (value: number) => value > bound,
  less_than: ({ value: bound, inclusive }) =>
    inclusive ? (value: number) => value <= bound : (value: number) => value < bound,
  number_format: ({ format }) => (format === 'safeint' ? Number.isSafeInteger : undefined),
  min_length:
    ({ minimum }) =>
    (value: string | unknown[]) =>
      value.length >= minimum,
  max_length:
    ({ maximum }) =>
    (value: string | unknown[]) =>
      value.length <= maximum,
  string_format({ format, pattern }) {
    return PATTERN_FORMATS.includes(format) ? (value: string) => pattern.test(value) : undefined;
  },
};

function isOneOf(values: unknown[]): Test {
  const set = new Set(values);
  return (value) => set.has(value);
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
