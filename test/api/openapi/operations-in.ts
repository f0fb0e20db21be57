import type { Operation, PathItem, Reference } from './operation.ts';

type Method = keyof PathItem;

/** Every operation of a document, in order. */
export function operationsIn(
  paths: Readonly<Record<string, PathItem>>,
): { path: string; method: Method; operation: Operation }[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    (Object.entries(item) as [Method, Operation][]).map(([method, operation]) => ({
      path,
      method,
      operation,
    })),
  );
}

export function isReference(value: object): value is Reference {
  return '$ref' in value;
}
