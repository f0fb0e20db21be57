import type { Schema } from '../../simulation/protocol/describe-schema.ts';

/**
 * A message as indented JSON, with what its schema says of each member in a comment above it. Of a list of objects, only the first
 * one is written.
 */
export function annotatedJson(value: unknown, schema: Schema, indent = ''): string {
  const inner = `${indent}  `;
  if (Array.isArray(value)) return annotatedList(value, schema.items ?? {}, indent);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => {
    const about = memberSchema(schema, name, value);
    const text = `${inner}${JSON.stringify(name)}: ${annotatedJson(member, about, inner)}`;
    return about.description ? `${inner}// ${about.description}\n${text}` : text;
  });
  return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n${indent}}`;
}

function annotatedList(values: readonly unknown[], items: Schema, indent: string): string {
  const inner = `${indent}  `;
  const [first] = values;
  if (typeof first !== 'object' || first === null || Array.isArray(first)) return JSON.stringify(values);
  const more = values.length === 1 ? '' : `\n${inner}// and ${values.length - 1} more like it`;
  return `[\n${inner}${annotatedJson(first, items, inner)}${more}\n${indent}]`;
}

function memberSchema(schema: Schema, name: string, value: object): Schema {
  const kinds = schema.anyOf ?? schema.oneOf;
  if (kinds) {
    const { kind } = value as { kind?: unknown };
    const fits = kinds.find(
      ({ type, properties }) => type !== 'null' && (!kind || properties?.kind?.const === kind),
    );
    return memberSchema(fits ?? {}, name, value);
  }
  const { properties = {}, additionalProperties: others } = schema;
  return properties[name] ?? (typeof others === 'object' ? others : {});
}
