import type { z } from 'zod';
import type { Area, Artifact } from '../../../pipeline/artifacts/artifact.ts';
import type { Organisation } from '../../../pipeline/artifacts/documents/organisation.ts';
import type { ProblemCode } from '../problem.ts';
import type { Query } from '../query/query.ts';

/** What the description of a service names. */
export interface ApiFacts {
  /** Without a slash at the end. */
  baseUrl: string;
  /** Of this software: `1.0.0`. */
  version: string;
  organisation: Organisation;
  /** One line about each area. */
  subjects: Readonly<Record<Area, string>>;
  /** An excerpt of a file; undefined for a file that is not text. */
  example: (artifact: Artifact) => unknown;
}

/** The groups of routes that are no areas. Each group has a page, `/api/charts/`. */
export const OTHER_GROUPS = {
  forms: {
    title: 'Tables in other formats',
    description: 'Every public table in other formats, counted like the files of its area.',
  },
  charts: { title: 'Charts', description: 'Every chart as files. Not counted; needs no key.' },
  attestations: {
    title: 'Attestations',
    description: 'Companion Attestations. Counted as requests for academics, with or without a key.',
  },
  log: {
    title: 'The log',
    description:
      'The ledger’s Merkle tree, for proofs. Not counted; hash tiles and the checkpoint need no key.',
  },
  releases: {
    title: 'Releases and snapshots',
    description: 'The proofs of a release, and the snapshots. Not counted; needs no key.',
  },
  service: { title: 'The service itself', description: 'The service itself. Not counted; needs no key.' },
} as const;
export type Group = Area | keyof typeof OTHER_GROUPS;

const READ = ['GET', 'HEAD', 'OPTIONS'] as const;
const POST = ['POST', 'OPTIONS'] as const;
/** The value of the Allow header of nearly all paths: the service is read-only. */
export const ALLOW = READ.join(', ');

/** What answers a route; src/sidecar/request has one function for each. */
export type Handler =
  | 'file'
  | 'chart'
  | 'export'
  | 'verify'
  | 'attestation'
  | 'log'
  | 'snapshot'
  | 'oembed'
  | 'live'
  | 'health'
  | 'readiness'
  | 'rotation'
  | 'metrics'
  | 'status';

/** A header of an answer that is not usual for its kind. */
type OwnHeader = 'Content-Disposition' | 'Content-Location' | 'Memento-Datetime' | 'Link';

export interface Content {
  /** Null: not text, which JSON Schema cannot describe. */
  type: z.core.$ZodType | 'text' | null;
  /** The name of the type among the schemas of the description, for one that has a title there. */
  named?: { name: string; title?: string; description?: string };
  /** Undefined: none. */
  example?: ((facts: ApiFacts) => unknown) | undefined;
  /** What the example is. Default: that it is invented. */
  exampleOf?: string;
}

interface Reply {
  description: string;
  /** By media type. */
  content: Readonly<Record<string, Content>>;
}

/**
 * How a request is treated: `file` – bytes with an entity tag, conditions and ranges; `made` – made for this request; `stream` – one
 * without an end; `service` – about the server itself, also under high load and without a release.
 */
type Kind = 'file' | 'made' | 'stream' | 'service';

/** One row of the table of routes: the server, its description and its reference follow from it. */
export interface Route {
  /** `/charts/{id}.svg`. A parameter with a plus sign, `{+tile}`, spans slashes. */
  path: string;
  /** What generated clients call the function: `getSupply`. */
  id: string;
  group: Group;
  methods: typeof READ | typeof POST;
  kind: Kind;
  handler: Handler;
  /** The area whose API keys count here; null: a key makes no difference. */
  area: Area | null;
  /** `counted` – against the quota of the area; `key` – a key of the area is needed, and each access is recorded. */
  access: 'open' | 'counted' | 'key';
  /** The areas of the row, if the address decides. */
  areas?: readonly Area[];
  /** Parameters of the path. */
  parameters: Readonly<Record<string, z.ZodType>>;
  /** Null: that of files if the file has versions, otherwise none matters. */
  query: Query | null;
  /** The query where the parameters of the path narrow it. */
  queryAt?: (parameters: Readonly<Record<string, string>>) => Query;
  summary: string;
  /** CommonMark. */
  description: string;
  /** By status. */
  answer: Readonly<Record<number, Reply>>;
  /** Headers of the answer besides those of its kind. */
  headers?: readonly OwnHeader[];
  /** Request headers besides those of its kind. */
  sentHeaders?: Readonly<Record<string, z.ZodType>>;
  /** The request body. */
  body?: { description: string; content: Readonly<Record<string, Content>> };
  /** Besides those that follow from the rest of the row. */
  problems: readonly ProblemCode[];
  /** What more there is to read, on this site. */
  about?: { path: string; description: string };
}

/** What a row says where most say the same: a public file outside of the areas, without parameters. */
const USUAL = {
  methods: READ,
  kind: 'file',
  handler: 'file',
  area: null,
  access: 'open',
  parameters: {},
  problems: [],
} as const satisfies Partial<Route>;

type Given = Omit<Route, keyof typeof USUAL> & Partial<Pick<Route, keyof typeof USUAL>>;

export function route(given: Given): Route {
  return { ...USUAL, ...given };
}

export function postRoute(given: Given): Route {
  return { ...USUAL, ...given, methods: POST };
}

/** An answer 200 of one media type. */
export function ok(description: string, mediaType: string, content: Content): Route['answer'] {
  return { 200: { description, content: { [mediaType]: content } } };
}
