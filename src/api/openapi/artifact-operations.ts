import type { Area, Artifact } from '../../../pipeline/artifacts/artifact.ts';
import { toJsonSchema } from '../../../pipeline/ledger/events/json-schema.ts';
import { KEY_AREAS } from '../tiers.ts';
import { FILE_HEADERS, LIMIT_HEADERS, referToHeaders, referToRequestHeaders } from './headers.ts';
import {
  type Answer,
  type Content,
  type Operation,
  type Parameter,
  type PathOperation,
  refer,
  type Schema,
} from './operation.ts';
import { type ProblemResponseName, problemsByStatus } from './responses.ts';

export interface ArtifactFacts {
  /** Without a slash at the end. */
  baseUrl: string;
  /** An excerpt of the file; undefined for a file that is not text. */
  example: (artifact: Artifact) => unknown;
}

const YEAR: Parameter = {
  name: 'year',
  in: 'path',
  required: true,
  description: 'A closed year with events in the ledger.',
  schema: { type: 'string', pattern: '^\\d{4}$' },
  example: '2025',
};

/** For the files that snapshots keep. */
const VERSION: Parameter[] = [
  {
    name: 'as_of',
    in: 'query',
    required: false,
    description:
      'The file as it was: in the last snapshot at or before this time. A date means the end of that day in UTC. Content-Location is the permanent address.',
    schema: { type: 'string' },
    example: '2025-12-01T06Z',
  },
  {
    name: 'sha256',
    in: 'query',
    required: false,
    description: 'The version of the file with this SHA-256. Not together with as_of.',
    schema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  },
];

const REFRESH: Readonly<Record<Artifact['refresh'], string>> = {
  'real-time': 'Changes with every event; mirrors have the state of the last release.',
  release: 'Changes with every release, every six hours.',
};

/** The operation of a file, and for a yearly file that of its closed years. */
export function artifactOperations(artifact: Artifact, facts: ArtifactFacts): PathOperation[] {
  const operation = fileOperation(artifact, facts);
  const operations: PathOperation[] = [[`/${artifact.path}`, operation]];
  if ('closedPath' in artifact) operations.push(closedYear(artifact, operation));
  return operations;
}

/** The schema of a JSON file; null for other media types, which JSON Schema cannot describe. */
export function artifactSchema(artifact: Artifact): Schema | null {
  if (artifact.kind === 'printed' || artifact.mediaType !== 'application/json') return null;
  return { title: artifact.title, description: artifact.description, ...toJsonSchema(artifact.schema) };
}

/** A public path needs no key, but in areas with keys a key raises the quota. */
export function securityOf({ area, restricted }: { area: Area; restricted: boolean }): Operation['security'] {
  if (restricted) return [{ key: [area] }];
  return hasKeys(area) ? [{}, { key: [area] }] : [{}];
}

function fileOperation(artifact: Artifact, { baseUrl, example }: ArtifactFacts): Operation {
  const { area, title, description, refresh, restricted } = artifact;
  const access = restricted ? `Needs a ${area} key; every access is logged.` : 'Public.';
  return {
    operationId: operationId(artifact),
    tags: [area],
    summary: title,
    description: `${description}\n\n${access} ${REFRESH[refresh]}`,
    externalDocs: {
      description: 'Fields, units and formulas',
      url: `${baseUrl}/files/${artifact.path}/`,
    },
    parameters: [...(restricted ? [] : VERSION), ...referToRequestHeaders()],
    responses: {
      '200': wholeFile(artifact, example(artifact)),
      ...otherFileResponses(artifact),
      ...(!restricted && problemsByStatus(['BadVersion', 'NoVersion'])),
    },
    security: securityOf(artifact),
  };
}

function closedYear(
  artifact: Extract<Artifact, { kind: 'yearly' | 'printed' }>,
  current: Operation,
): PathOperation {
  const { '200': whole, ...others } = current.responses;
  const operation: Operation = {
    ...current,
    operationId: `${current.operationId}OfYear`,
    summary: `${current.summary} of a closed year`,
    description: `${artifact.description}\n\nPublic. Final: this file never changes.`,
    parameters: [YEAR, ...(current.parameters ?? [])],
    responses: { '200': whole!, ...others },
  };
  const [path = ''] = [artifact.closedPath(2025).replace('2025', '{year}')];
  return [`/${path}`, operation];
}

function wholeFile(artifact: Artifact, example: unknown): Answer {
  return {
    description: artifact.title,
    // Keys for restricted files have no quota.
    headers: referToHeaders(artifact.restricted ? FILE_HEADERS : [...FILE_HEADERS, ...LIMIT_HEADERS]),
    content: { [artifact.mediaType]: contentOf(artifact, example) },
  };
}

function contentOf(artifact: Artifact, example: unknown): Content {
  const isJson = artifact.mediaType === 'application/json';
  return {
    // JSON Schema has no type for a file that is not text.
    schema: isJson ? refer('schemas', componentName(artifact)) : artifact.kind === 'printed' ? {} : TEXT,
    ...(example !== undefined && { examples: { excerpt: { summary: 'Shortened', value: example } } }),
  };
}

const TEXT: Schema = { type: 'string' };

/** The responses to a request for a file, other than the file. */
export function otherFileResponses({
  kind,
  area,
  restricted,
}: Pick<Artifact, 'kind' | 'area' | 'restricted'>): Operation['responses'] {
  const problems: ProblemResponseName[] = [
    'BadRequest',
    restricted ? 'KeyRequired' : 'InvalidKey',
    ...(hasKeys(area) ? (['WrongArea'] as const) : []),
    // A release built without a browser has no PDFs.
    ...(kind === 'printed' ? (['NotFound'] as const) : []),
    'MethodNotAllowed',
    'PreconditionFailed',
    'RangeNotSatisfiable',
    ...(restricted ? (['RestrictedUnavailable'] as const) : (['LimitReached', 'Unavailable'] as const)),
  ];
  return {
    '206': refer('responses', 'PartOfFile'),
    '304': refer('responses', 'NotModified'),
    ...problemsByStatus(problems),
  };
}

function hasKeys(area: Area): boolean {
  return (KEY_AREAS as readonly Area[]).includes(area);
}

type Named = Pick<Artifact, 'path' | 'area' | 'mediaType'>;

/** `economy/sentinel-roi.json` → `SentinelRoi`, `economy/mic-history.csv` → `MicHistoryCsv`: a name for a schema or a class. */
export function componentName({ path, area, mediaType }: Named): string {
  const name = path.slice(area.length + 1);
  const words = (mediaType === 'application/json' ? name.replace(/\.json$/, '') : name).split(/[^a-z0-9]+/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** `getMicHistoryCsv`: what generated clients call the function. */
export function operationId(artifact: Named): string {
  return `get${componentName(artifact)}`;
}
