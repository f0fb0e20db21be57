import type { ProblemCode } from '../problem.ts';

/** What this service uses of OpenAPI 3.1; a Schema Object is any JSON Schema of 2020-12. */
export type Schema = Readonly<Record<string, unknown>>;
export type Reference = Readonly<{ $ref: string }>;

export interface Example {
  summary?: string;
  value: unknown;
}

export interface Content {
  schema: Schema | Reference;
  examples?: Record<string, Example | Reference>;
}

export interface Header {
  description: string;
  schema: Schema;
  example: string;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description: string;
  schema: Schema;
  example: string;
}

export interface Answer {
  description: string;
  headers?: Record<string, Reference>;
  content?: Record<string, Content>;
  /** Of a problem: the codes that come with this status. */
  'x-problem-codes'?: readonly ProblemCode[];
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  /** CommonMark. */
  description: string;
  externalDocs?: { description: string; url: string };
  parameters?: (Parameter | Reference)[];
  responses: Record<string, Answer | Reference>;
  /** Alternatives: with an empty one, nothing is needed. */
  security: Record<string, string[]>[];
}

/** One path and what GET does there. */
export type PathOperation = [path: string, operation: Operation];

/** `refer('headers', 'ETag')`: to a component of the document. */
export function refer(kind: string, name: string): Reference {
  return { $ref: `#/components/${kind}/${name}` };
}

export function isReference(value: object): value is Reference {
  return '$ref' in value;
}
