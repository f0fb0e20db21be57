import { z } from 'zod';
import { AREAS, type Area, type Artifact } from '../../../pipeline/artifacts/artifact.ts';
import { ARTIFACTS } from '../../../pipeline/artifacts/table.ts';
import { ChartDocument } from '../../../pipeline/charts/files/chart-document.ts';
import { formatNumber } from '../../../pipeline/words/number.ts';
import { QUOTAS, tierWithoutKey } from '../quotas.ts';
import {
  type ArtifactFacts,
  artifactOperations,
  artifactSchema,
  componentName,
} from './artifact-operations.ts';
import { attestationOperations } from './attestation-operations.ts';
import { chartOperations, oembedOperation } from './chart-operations.ts';
import { exportOperation, LedgerExport } from './export-operation.ts';
import { formOperations } from './form-operations.ts';
import {
  FILE_HEADERS,
  headerComponents,
  LIMIT_HEADERS,
  referToHeaders,
  requestHeaderComponents,
} from './headers.ts';
import { logOperations } from './log-operations.ts';
import type { Answer, Example, Header, Parameter, PathItem, PathOperation, Schema } from './operation.ts';
import { releaseOperations } from './release-operations.ts';
import { ProblemDocument, problemExamples, problemResponses } from './responses.ts';
import { liveOperation, serviceOperations } from './service-operations.ts';

export interface ApiFacts extends ArtifactFacts {
  /** Of this software: `0.1.0`. */
  version: string;
  /** An e-mail address. */
  contact: string;
  /** One line on what each area has. */
  subjects: Readonly<Record<Area, string>>;
}

/** The parts of an OpenAPI 3.1 document that this service's has. */
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

/** `/openapi.json`: every path of the service, from the tables that also answer at them. Pure. */
export function openApiDocument(facts: ApiFacts): OpenApiDocument {
  const { baseUrl, subjects } = facts;
  return {
    openapi: '3.1.1',
    info: infoOf(facts),
    servers: [{ url: baseUrl }],
    tags: [
      ...AREAS.map((name) => ({ name, description: `${subjects[name]}. ${limitsOf(name)}` })),
      { name: 'forms', description: 'Every public table in other forms, counted as the files of its area.' },
      { name: 'charts', description: 'Every chart as files. Not counted, and without a key.' },
      {
        name: 'attestations',
        description: 'Companion Attestations. Counted as requests of academics, with a key or without.',
      },
      { name: 'log', description: 'The ledger’s Merkle tree, for proofs. Not counted, and without a key.' },
      {
        name: 'releases',
        description: 'What proves a release, and snapshots of those before. Not counted, and without a key.',
      },
      { name: 'service', description: 'The service itself. Not counted, and without a key.' },
    ],
    paths: Object.fromEntries(
      operationsOf(facts).map(([path, operation, method = 'get']) => [path, { [method]: operation }]),
    ),
    components: {
      schemas: {
        ...Object.fromEntries(ARTIFACTS.flatMap(schemaEntry)),
        ChartDocument: toSchema(ChartDocument),
        LedgerExport: toSchema(LedgerExport),
        Problem: toSchema(ProblemDocument),
      },
      responses: { ...fileResponses(), ...problemResponses() },
      parameters: requestHeaderComponents(),
      headers: headerComponents(),
      examples: problemExamples(),
      securitySchemes: { key: KEY_SCHEME },
    },
  };
}

/** In the order of the table, the export's second path beside its first. */
function operationsOf(facts: ApiFacts): PathOperation[] {
  const files = ARTIFACTS.flatMap((artifact) =>
    artifact.path === 'government/ledger/export'
      ? exportPaths(facts.baseUrl)
      : artifactOperations(artifact, facts),
  );
  return [
    ...files,
    ...formOperations(facts.baseUrl),
    ...chartOperations(facts.baseUrl),
    ['/oembed', oembedOperation(facts.baseUrl)],
    ...attestationOperations(),
    ...logOperations(),
    ['/live', liveOperation(facts)],
    ...releaseOperations(),
    ...serviceOperations(),
  ];
}

function exportPaths(baseUrl: string): PathOperation[] {
  const alias = exportOperation(baseUrl, 'exportLedgerAtRoot');
  return [
    ['/government/ledger/export', exportOperation(baseUrl, 'exportLedger')],
    ['/export', { ...alias, summary: `${alias.summary}, at the root of a ledger’s own host` }],
  ];
}

function infoOf({ baseUrl, version, contact }: ApiFacts): Record<string, unknown> {
  return {
    title: 'Cathedral Data Service',
    version,
    summary: 'Open data of an append-only ledger, as files at stable addresses.',
    description: DESCRIPTION,
    termsOfService: `${baseUrl}/licence/`,
    contact: { name: 'Cathedral Data Service', url: `${baseUrl}/api/`, email: contact },
    license: { name: 'Creative Commons Attribution 4.0 International', identifier: 'CC-BY-4.0' },
  };
}

const DESCRIPTION = `Everything is read with GET; HEAD answers the same without a body, and OPTIONS says what is answered. One path takes a document with POST and says whether it is valid. Public files need no key and may be read by scripts of any site.

A path never changes and carries no version. Names, order and types of columns and members are held by tests; a change of them has a line in the changelog. The same ledger gives the same bytes.

What is not a file is a problem document (RFC 9457) with a \`code\` that never changes its meaning; its \`type\` leads to a page that says what to do.`;

function limitsOf(area: Area): string {
  const free = tierWithoutKey(area);
  const tiers = Object.entries(QUOTAS[area]).map(([tier, quota]) => {
    const amount = typeof quota === 'number' ? formatNumber(quota) : quota;
    return tier === free ? `${amount} without a key` : `${amount} with a key of the tier ${tier}`;
  });
  return `Requests a day: ${tiers.join(', ')}.`;
}

const KEY_SCHEME = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'cds_<area>_<30 letters and digits>_<checksum>',
  description:
    'A key is for one tier and for one or more of its areas: `government` (restricted files, unlimited), `economist`, `academic`, `institutional` (higher daily limits). It is asked for by e-mail and sent as `Authorization: Bearer <key>`, never in an address. A key that is not good is refused on public paths, too.',
};

function schemaEntry(artifact: Artifact): [string, Schema][] {
  const schema = artifactSchema(artifact);
  return schema ? [[componentName(artifact), schema]] : [];
}

function toSchema(type: z.ZodType): Schema {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { target: 'draft-2020-12' });
  return schema;
}

function fileResponses(): Record<string, Answer> {
  return {
    NotModified: {
      description: 'The file is still the one that the request names. Counts as a request.',
      headers: referToHeaders(['ETag', 'Last-Modified', 'Cache-Control', ...LIMIT_HEADERS]),
    },
    PartOfFile: {
      description: 'The bytes that Range asks for.',
      headers: referToHeaders(['Content-Range', ...FILE_HEADERS, ...LIMIT_HEADERS]),
      content: { '*/*': { schema: {} } },
    },
  };
}
