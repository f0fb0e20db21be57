import { AREAS, type Area, type Artifact } from '../../../pipeline/artifacts/artifact.ts';
import { catalogueTitle, type Organisation } from '../../../pipeline/artifacts/documents/organisation.ts';
import { ARTIFACTS } from '../../../pipeline/artifacts/table.ts';
import { ChartDocument } from '../../../pipeline/charts/files/chart-document.ts';
import { toJsonSchema } from '../../../pipeline/ledger/events/json-schema.ts';
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
import { formatOperations } from './format-operations.ts';
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
  /** Of this software: `1.0.0`. */
  version: string;
  organisation: Organisation;
  /** One line about each area. */
  subjects: Readonly<Record<Area, string>>;
}

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

/** `/openapi.json`: every path of the service, derived from the tables that it is served from. Pure. */
export function openApiDocument(facts: ApiFacts): OpenApiDocument {
  const { baseUrl, subjects } = facts;
  return {
    openapi: '3.1.1',
    info: infoOf(facts),
    servers: [{ url: baseUrl }],
    tags: [
      ...AREAS.map((name) => ({ name, description: `${subjects[name]}. ${limitsOf(name)}` })),
      {
        name: 'forms',
        description: 'Every public table in other formats, counted like the files of its area.',
      },
      { name: 'charts', description: 'Every chart as files. Not counted; needs no key.' },
      {
        name: 'attestations',
        description: 'Companion Attestations. Counted as requests for academics, with or without a key.',
      },
      {
        name: 'log',
        description:
          'The ledger’s Merkle tree, for proofs. Not counted; hash tiles and the checkpoint need no key.',
      },
      {
        name: 'releases',
        description: 'The proofs of a release, and the snapshots. Not counted; needs no key.',
      },
      { name: 'service', description: 'The service itself. Not counted; needs no key.' },
    ],
    paths: Object.fromEntries(
      operationsOf(facts).map(([path, operation, method = 'get']) => [path, { [method]: operation }]),
    ),
    components: {
      schemas: {
        ...Object.fromEntries(ARTIFACTS.flatMap(schemaEntry)),
        ChartDocument: toJsonSchema(ChartDocument),
        LedgerExport: toJsonSchema(LedgerExport),
        Problem: toJsonSchema(ProblemDocument),
      },
      responses: { ...fileResponses(), ...problemResponses() },
      parameters: requestHeaderComponents(),
      headers: headerComponents(),
      examples: problemExamples(),
      securitySchemes: { key: KEY_SCHEME },
    },
  };
}

/** In the order of the artifact table, with the second path of the export after the first. */
function operationsOf(facts: ApiFacts): PathOperation[] {
  const files = ARTIFACTS.flatMap((artifact) =>
    artifact.path === 'government/ledger/export'
      ? exportPaths(facts.baseUrl)
      : artifactOperations(artifact, facts),
  );
  return [
    ...files,
    ...formatOperations(facts.baseUrl),
    ...chartOperations(facts.baseUrl),
    ['/oembed', oembedOperation(facts.baseUrl, facts.organisation.name)],
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

function infoOf({ baseUrl, version, organisation }: ApiFacts): Record<string, unknown> {
  const { name, contact, licence } = organisation;
  return {
    title: catalogueTitle(organisation),
    version,
    summary: 'Open data of an append-only ledger, as files at stable addresses.',
    description: DESCRIPTION,
    termsOfService: `${baseUrl}/licence/`,
    contact: { name, url: `${baseUrl}/api/`, email: contact },
    license: { name: licence.title, url: licence.url },
  };
}

const DESCRIPTION = `Everything is read with GET. HEAD returns the same without a body, and OPTIONS lists the methods. One path takes a document with POST and verifies it. Public files need no key, and scripts of any site may read them.

A path never changes and has no version in it. Tests hold the names, order and types of columns and members; the changelog lists every change. The same ledger gives the same bytes.

Every error is a problem document (RFC 9457) with a \`code\` that never changes its meaning; its \`type\` leads to a page that says what to do.`;

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
    'A key has one tier and covers one or more of its areas: `government` (restricted files, unlimited), `economist`, `academic`, `institutional` (higher daily limits). Ask for one by e-mail, and send it as `Authorization: Bearer <key>`, never in an address. Public paths refuse an invalid key, too.',
};

function schemaEntry(artifact: Artifact): [string, Schema][] {
  const schema = artifactSchema(artifact);
  return schema ? [[componentName(artifact), schema]] : [];
}

function fileResponses(): Record<string, Answer> {
  return {
    NotModified: {
      description: 'The file has not changed. Counts as a request.',
      headers: referToHeaders(['ETag', 'Last-Modified', 'Cache-Control', ...LIMIT_HEADERS]),
    },
    PartOfFile: {
      description: 'The requested range.',
      headers: referToHeaders(['Content-Range', ...FILE_HEADERS, ...LIMIT_HEADERS]),
      content: { '*/*': { schema: {} } },
    },
  };
}
