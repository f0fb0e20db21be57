import { AREAS, type Area } from '../../../../pipeline/artifacts/artifact.ts';
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
import { AREA_WORDS } from '../../layout/areas.ts';

/** An operation on the reference page. */
export interface ReferenceEntry {
  path: string;
  method: Method;
  operation: Operation;
  /** The request body; null if there is none. */
  sent: string | null;
  /** Its own parameters, without those that all files share. */
  parameters: Parameter[];
  /** One per media type of the response. */
  forms: { mediaType: string; example: string | null }[];
  /** Other possible statuses, in ascending order. */
  statuses: string[];
}

/** The titles of the tags that are no areas. */
const OTHERS = {
  forms: 'Tables in other formats',
  charts: 'Charts',
  attestations: 'Attestations',
  log: 'The log',
  releases: 'Releases and snapshots',
  service: 'The service itself',
};

/** Each has a page, `/api/economy/`. */
export const REFERENCE_TAGS: readonly string[] = [...AREAS, ...Object.keys(OTHERS)];

function titleOf(tag: string): string {
  return AREAS.some((area) => area === tag)
    ? AREA_WORDS[tag as Area].title
    : OTHERS[tag as keyof typeof OTHERS];
}

/** Where the reference describes an operation. */
export function operationPath(tag: string, operationId: string): string {
  return `/api/${tag}/#${operationId}`;
}

export interface ReferenceGroup {
  tag: string;
  title: string;
  description: string;
  entries: ReferenceEntry[];
}

/** The operations of a document in its order, by tag. */
export function referenceGroups({ tags, paths }: OpenApiDocument): ReferenceGroup[] {
  const entries = operationsIn(paths).map(entryOf);
  return tags.map(({ name, description }) => ({
    tag: name,
    title: titleOf(name),
    description,
    entries: entries.filter(({ operation }) => operation.tags[0] === name),
  }));
}

function entryOf({ path, method, operation }: ReturnType<typeof operationsIn>[number]): ReferenceEntry {
  const success = Object.entries(operation.responses).find(([status]) => /^2/.test(status))![1] as Answer;
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

/** The example as indented text; null if there is none. */
function exampleOf({ examples = {} }: Content): string | null {
  const [example] = Object.values(examples) as Example[];
  if (!example) return null;
  const { value } = example;
  return (typeof value === 'string' ? value : JSON.stringify(value, null, 2)).trimEnd();
}
