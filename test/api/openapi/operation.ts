import type { ProblemCode } from '../../../src/api/problem.ts';

/** The part of OpenAPI 3.1 that this service uses; a Schema Object is any JSON Schema of 2020-12. */
type Schema = Readonly<Record<string, unknown>>;
export type Reference = Readonly<{ $ref: string }>;

export interface Example {
  summary?: string;
  value: unknown;
}

export interface Content {
  schema: Schema | Reference;
  examples?: Record<string, Example | Reference>;
}

interface Header {
  description: string;
  schema: Schema;
  example: string;
}

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description: string;
  schema: Schema;
  example: string | number;
}

export interface Answer {
  description: string;
  headers?: Record<string, Reference>;
  content?: Record<string, Content>;
  /** Of a problem: the codes with this status. */
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
  requestBody?: { description: string; required: true; content: Record<string, Content> };
  responses: Record<string, Answer | Reference>;
  /** Alternatives; an empty one needs no key. */
  security: Record<string, string[]>[];
}

/** A path takes one method. */
export type PathItem = Partial<Record<'get' | 'post', Operation>>;

/** An OpenAPI 3.1 document, as far as this service uses it. */
export interface OpenApiDocument {
  openapi: '3.1.1';
  info: Record<string, unknown>;
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, PathItem>;
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, Answer>;
    parameters: Record<string, Parameter>;
    headers: Record<string, Header>;
    examples: Record<string, Example>;
    securitySchemes: Record<string, Record<string, string>>;
  };
}
