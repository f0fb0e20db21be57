import type { Field, Pattern } from './filter-fields.ts';

/** A filter as it is understood. `match` is true where a field is one of the patterns, or none of them if negated. */
export type Filter =
  | { kind: 'all' | 'any'; parts: readonly Filter[] }
  | { kind: 'match'; field: Field; negated: boolean; patterns: readonly Pattern[] };

/** Whether the cycle matters. */
export function asksForCycle(filter: Filter): boolean {
  return filter.kind === 'match' ? filter.field === 'cycle' : filter.parts.some(asksForCycle);
}

/** Whether an event with these fields is let through. */
export function takes(filter: Filter, fields: Readonly<Record<Field, string>>): boolean {
  if (filter.kind === 'match') {
    const text = fields[filter.field];
    return filter.patterns.some((pattern) => matches(text, pattern)) !== filter.negated;
  }
  const test = (part: Filter) => takes(part, fields);
  return filter.kind === 'all' ? filter.parts.every(test) : filter.parts.some(test);
}

/**
 * What remains of a filter for rows of one cycle: true or false where nothing else matters, so that such rows are
 * copied or passed over as a whole.
 */
export function narrow(filter: Filter, cycle: string): Filter | boolean {
  if (filter.kind === 'match') {
    if (filter.field !== 'cycle') return filter;
    return filter.patterns.some((pattern) => matches(cycle, pattern)) !== filter.negated;
  }
  // One part with this value decides; parts with the other one do not matter.
  const decisive = filter.kind === 'any';
  const rest: Filter[] = [];
  for (const part of filter.parts) {
    const narrowed = narrow(part, cycle);
    if (narrowed === decisive) return decisive;
    if (typeof narrowed !== 'boolean') rest.push(narrowed);
  }
  if (rest.length === 0) return !decisive;
  return rest.length === 1 ? rest[0]! : { kind: filter.kind, parts: rest };
}

function matches(text: string, pattern: Pattern): boolean {
  return pattern.isBeginning ? text.startsWith(pattern.text) : text === pattern.text;
}
