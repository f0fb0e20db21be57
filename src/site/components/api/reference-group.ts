import type { OpenApiDocument } from '../../../api/openapi/open-api-document.ts';
import {
  type Answer,
  type Content,
  type Example,
  isReference,
  type Method,
  type Operation,
  operationsIn,
  type Parameter,
} from '../../../api/openapi/operation.ts';

/** One operation as the reference page shows it. */
export interface ReferenceEntry {
  path: string;
  method: Method;
  operation: Operation;
  /** What is sent as the body; null where nothing is. */
  sent: string | null;
  /** Its own; those that every file has are told once. */
  parameters: Parameter[];
  /** Of each form in which it is answered. */
  forms: { mediaType: string; example: string | null }[];
  /** What may come instead, in the order of their numbers. */
  statuses: string[];
}

export interface ReferenceGroup {
  tag: string;
  description: string;
  entries: ReferenceEntry[];
}

/** The operations of a document in its order, by tag. */
export function referenceGroups({ tags, paths }: OpenApiDocument): ReferenceGroup[] {
  const entries = operationsIn(paths).map(entryOf);
  return tags.map(({ name, description }) => ({
    tag: name,
    description,
    entries: entries.filter(({ operation }) => operation.tags[0] === name),
  }));
}

function entryOf({ path, method, operation }: ReturnType<typeof operationsIn>[number]): ReferenceEntry {
  const success = operation.responses['200'] as Answer;
  const forms = Object.entries(success.content ?? {});
  const [sent] = Object.values(operation.requestBody?.content ?? {});
  return {
    path,
    method,
    operation,
    sent: sent ? exampleOf(sent) : null,
    parameters: (operation.parameters ?? []).filter((one): one is Parameter => !isReference(one)),
    forms: forms.map(([mediaType, content]) => ({ mediaType, example: exampleOf(content) })),
    statuses: Object.keys(operation.responses).filter((status) => status !== 'default'),
  };
}

/** Laid out in lines; null where there is none. */
function exampleOf({ examples = {} }: Content): string | null {
  const [example] = Object.values(examples) as Example[];
  if (!example) return null;
  const { value } = example;
  return (typeof value === 'string' ? value : JSON.stringify(value, null, 2)).trimEnd();
}
