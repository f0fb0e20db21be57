import * as z from 'zod/mini';

/** The dialect of every schema that is published. */
export const JSON_SCHEMA = 'https://json-schema.org/draft/2020-12/schema';

type Options = Exclude<Parameters<typeof z.toJSONSchema>[1], undefined>;

/** What types say of a member beyond JSON Schema. Validators and OpenAPI tools refuse keywords that they do not know, except `x-…`. */
const ANNOTATIONS = ['unit', 'range', 'formula', 'effect'];

/** The JSON Schema of a type without `$schema`; our annotations as `x-unit`, `x-range` and so on. */
export function toJsonSchema(type: z.core.$ZodType, options: Options = {}): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(type, {
    ...options,
    override: (context) => {
      options.override?.(context);
      const found: Record<string, unknown> = context.jsonSchema;
      const move = (name: string, to: string, value = found[name]) => {
        if (!(name in found)) return;
        delete found[name];
        found[to] = value;
      };
      for (const name of ANNOTATIONS) move(name, `x-${name}`);
      move('example', 'examples', [found.example]);
    },
  });
  return schema;
}
