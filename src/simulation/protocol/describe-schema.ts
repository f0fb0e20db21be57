import type { JsonSchema } from '../../../pipeline/artifacts/data-dictionary.ts';

/** What a schema admits, in words: `a whole number from 1 to 100`. Pages and error messages use the same words. */
export function describeSchema(schema: JsonSchema): string {
  const { type, anyOf, oneOf } = schema;
  const either = anyOf ?? oneOf;
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return `one of ${schema.enum.map((value) => String(value)).join(', ')}`;
  if (either) return [...new Set(either.map(describeSchema))].join(' or ');
  if (Array.isArray(type)) return type.map((one) => describeSchema({ ...schema, type: one })).join(' or ');
  switch (type) {
    case 'integer':
    case 'number':
      return `${type === 'integer' ? 'a whole number' : 'a number'}${describeRange(schema)}`;
    case 'string':
      return describeText(schema);
    case 'array':
      return `a list${schema.maxItems === undefined ? '' : ` of at most ${schema.maxItems}`}`;
    case 'boolean':
      return 'true or false';
    case 'null':
      return 'null';
    default:
      return 'an object';
  }
}

/** The largest integer of JSON numbers is no bound that anybody chose. */
function describeRange({ minimum = -Infinity, maximum = Infinity }: JsonSchema): string {
  const [hasLeast, hasMost] = [minimum > Number.MIN_SAFE_INTEGER, maximum < Number.MAX_SAFE_INTEGER];
  if (hasLeast && hasMost) return ` from ${minimum} to ${maximum}`;
  if (hasLeast) return `, ${minimum} or more`;
  return hasMost ? `, at most ${maximum}` : '';
}

function describeText({ pattern, maxLength }: JsonSchema): string {
  const most = maxLength === undefined ? '' : ` of at most ${maxLength}`;
  if (pattern !== undefined) return `a name${most} small letters and underscores`;
  return most === '' ? 'a text' : `a text${most} characters`;
}

/** The schema of the value at a path; null for a place that the schema does not have. */
export function schemaAt(schema: JsonSchema, path: readonly PropertyKey[]): JsonSchema | null {
  return path.reduce<JsonSchema | null>((at, step) => at && memberOf(at, step), schema);
}

function memberOf(
  { items, properties = {}, additionalProperties }: JsonSchema,
  step: PropertyKey,
): JsonSchema | null {
  if (typeof step === 'number') return items ?? null;
  if (Object.hasOwn(properties, step)) return properties[String(step)]!;
  return typeof additionalProperties === 'object' ? additionalProperties : null;
}
