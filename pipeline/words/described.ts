import * as z from 'zod/mini';

/** What the data dictionary, the JSON Schemas and the pages say of a member: unit, range, formula, keywords of JSON Schema. */
type Annotations = z.core.GlobalMeta;

/** A copy of a schema with annotations. zod has a check for it, `z.meta`, with which no schema can be compiled. */
export function annotated<S extends z.ZodMiniType>(schema: S, annotations: Annotations): S {
  const copy = schema.clone();
  z.globalRegistry.add(copy, annotations);
  return copy;
}

export function described<S extends z.ZodMiniType>(
  schema: S,
  description: string,
  more: Annotations = {},
): S {
  return annotated(schema, { description, ...more });
}

/** A list of objects with these members. */
export function listOf<Shape extends z.core.$ZodShape>(description: string, members: Shape) {
  return described(z.array(z.strictObject(members)), description);
}

export function annotationsOf(schema: z.core.$ZodType): Annotations {
  return z.globalRegistry.get(schema) ?? {};
}
