import type { compile as compileSchema } from 'zod/mini';

/** In pages, whose content policy forbids compiled code: `#compile-schema` in package.json names this file in place of zod's compiler. */
export const compile: typeof compileSchema = (schema) => schema;
