import type { z } from 'zod';
import { toJsonSchema } from '../../../pipeline/ledger/events/json-schema.ts';
import { mediaTypeOf } from '../../../pipeline/release/format/media-types.ts';
import {
  formatSignedText,
  LATEST_PATH,
  type Latest,
  Latest as LatestSchema,
  MANIFEST_PATH,
  PublicManifest,
  SIGNATURE_PATH,
} from '../../../pipeline/release/format/public-manifest.ts';
import {
  formatSignedList,
  LIST_PATH,
  LIST_SIGNATURE_PATH,
  Snapshot,
  SnapshotIndex,
} from '../../../pipeline/release/format/snapshot-index.ts';
import { FILE_HEADERS, referToHeaders, referToRequestHeaders } from './headers.ts';
import type { Content, Operation, Parameter, PathOperation } from './operation.ts';
import { NOT_COUNTED, type ProblemResponseName, problemsByStatus } from './responses.ts';

const SHA256 = '0123456789abcdef'.repeat(4);
const ROOT_HASH = 'sFodV/vSp5O8n9a8QpW6PRY97tfOSW5bsc2Xl/EQi08=';
const AS_OF = '2025-12-01T05:58:12Z';
const ID = '2025-12-01T06Z';

/** Invented, like all examples here: the description is part of the release that it would describe. */
const LATEST: Latest = {
  version: 1_764_568_692,
  release: `${ID}-1f0c9a3e`,
  snapshot: ID,
  as_of: AS_OF,
  expires: '2025-12-03T05:58:12Z',
  manifest: { path: MANIFEST_PATH, sha256: SHA256, bytes: 48_213 },
  log: { size: 28_912, root_hash: ROOT_HASH },
};
const KEY = 'data.example.org+1a2b3c4d+AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB';
const LEDGER_KEY = 'ledger.example.org/cathedral+1a2b3c4d+AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB';
const signed = (text: string) => `${text}\n— data.example.org GisDTQAA\n`;
const { version } = LATEST;
const SIGNATURE = signed(formatSignedText({ version, ...LATEST.manifest }));
const LIST_SIGNATURE = signed(formatSignedList({ version, sha256: SHA256, bytes: 1_124 }));
const ENTRY: SnapshotIndex[number] = {
  id: ID,
  release: LATEST.release,
  as_of: AS_OF,
  log_size: 28_912,
  root_hash: ROOT_HASH,
  index: { path: `snapshots/${ID}/index.json`, sha256: SHA256, bytes: 15_204 },
};

const FILE = { path: 'economy/supply', sha256: SHA256, bytes: 513, media_type: 'application/json' };
const LOG = { origin: 'ledger.example.org/cathedral', size: 28_912, root_hash: ROOT_HASH };
const { manifest: _, log: __, ...SAME } = LATEST;
const MANIFEST: PublicManifest = {
  schema_version: '1.0.0',
  publisher: 'data.example.org',
  keys: [KEY],
  ...SAME,
  log: { ...LOG, checkpoint: `${LOG.origin}\n28912\n${ROOT_HASH}\n\n— ${LOG.origin} 7mQ2kAAA\n` },
  files: [{ ...FILE, last_modified: AS_OF }],
};
const HISTORY = {
  ...FILE,
  path: 'economy/mic-history.csv',
  bytes: 812_440,
  media_type: 'text/csv; charset=utf-8; header=present',
  head: 'timestamp,cycle,sentinel,amount,cathedral,coordination_score\n',
  range: { of: 'economy/mic-history.csv', last: 812_379 },
};
const SNAPSHOT_INDEX: Snapshot = {
  schema_version: '1.0.0',
  id: ID,
  release: LATEST.release,
  software: 'cathedral-data-service 1.0.0',
  as_of: AS_OF,
  log: LOG,
  files: [HISTORY, { ...FILE, url: `snapshots/${ID}/economy/supply` }],
};

const SNAPSHOT: Parameter = {
  name: 'snapshot',
  in: 'path',
  required: true,
  description: 'Id of a snapshot, from the snapshot list.',
  schema: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}T(00|06|12|18)Z$' },
  example: ID,
};
const part = (name: string, description: string, example: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string' },
  example,
});

const PROBLEMS: ProblemResponseName[] = [
  'BadRequest',
  'InvalidKey',
  'NoVersion',
  'MethodNotAllowed',
  'PreconditionFailed',
  'RangeNotSatisfiable',
  'Unavailable',
];

interface About {
  id: string;
  summary: string;
  description: string;
  content: Record<string, Content>;
  parameters?: Parameter[];
  /** `releases` by default. */
  tag?: string;
}

/** The proofs of a release, and the snapshots. */
export function releaseOperations(): PathOperation[] {
  return [...proofs(), ...snapshots()].map(([path, about]) => [path, operationOf(about)]);
}

function proofs(): [string, About][] {
  const text = mediaTypeOf(SIGNATURE_PATH);
  return [
    [
      `/${LATEST_PATH}`,
      {
        id: 'getLatest',
        summary: 'The current release',
        description: 'With the hash and length of its manifest. It is written last.',
        content: json(LatestSchema, LATEST),
      },
    ],
    [
      `/${MANIFEST_PATH}`,
      {
        id: 'getManifest',
        summary: 'Every public file of the release',
        description:
          'Path, SHA-256, length, media type and rows of each file, and the ledger snapshot that the release was built from.',
        content: json(PublicManifest, MANIFEST),
      },
    ],
    [
      `/${SIGNATURE_PATH}`,
      {
        id: 'getManifestSignature',
        summary: 'The publisher’s signature over the manifest',
        description:
          'A signed note (c2sp.org/signed-note) over the version, SHA-256 and length of the manifest.',
        content: { [text]: { schema: { type: 'string' }, examples: invented(SIGNATURE) } },
      },
    ],
    [
      '/publisher.vkey',
      {
        id: 'getPublisherKeys',
        tag: 'service',
        summary: 'The publisher’s verifier keys',
        description:
          'One per line; during a rotation the next key comes first. Compare them with a copy that you got out of band.',
        content: { [text]: { schema: { type: 'string' }, examples: invented(`${KEY}\n`) } },
      },
    ],
    [
      '/ledger.vkey',
      {
        id: 'getLedgerKey',
        tag: 'service',
        summary: 'The ledger’s verifier key',
        description:
          'The key that signed the checkpoint that the release was built from. Compare it with a copy that you got out of band.',
        content: { [text]: { schema: { type: 'string' }, examples: invented(`${LEDGER_KEY}\n`) } },
      },
    ],
  ];
}

function snapshots(): [string, About][] {
  const text = mediaTypeOf(LIST_SIGNATURE_PATH);
  return [
    [
      `/${LIST_PATH}`,
      {
        id: 'listSnapshots',
        summary: 'The snapshot list',
        description: 'Newest first, each with the hash of its index.',
        content: json(SnapshotIndex, [ENTRY]),
      },
    ],
    [
      `/${LIST_SIGNATURE_PATH}`,
      {
        id: 'getSnapshotsSignature',
        summary: 'The publisher’s signature over the snapshot list',
        description:
          'A signed note (c2sp.org/signed-note) over the version of the release, and the SHA-256 and length of the list. It is written after the list.',
        content: { [text]: { schema: { type: 'string' }, examples: invented(LIST_SIGNATURE) } },
      },
    ],
    [
      '/snapshots/{snapshot}/index.json',
      {
        id: 'getSnapshot',
        summary: 'The index of a snapshot',
        description:
          'Each file with its hash and address. For a history, its header and the range of the current file that is its remainder. It never changes.',
        content: json(Snapshot, SNAPSHOT_INDEX),
        parameters: [SNAPSHOT],
      },
    ],
    [
      '/snapshots/{snapshot}/{area}/{file}',
      {
        id: 'getFileOfSnapshot',
        summary: 'A data file of a snapshot',
        description:
          'In the same format as at the path without /snapshots/ and the id. It never changes. The service assembles histories, which are not copied; on a static host, the index of the snapshot says how.',
        content: {
          'application/json': { schema: {}, examples: invented({ total_supply: 1_250_000 }) },
          '*/*': { schema: {} },
        },
        parameters: [
          SNAPSHOT,
          part('area', 'First segment of the file’s path.', 'economy'),
          part('file', 'The rest of the path.', 'supply'),
        ],
      },
    ],
  ];
}

function operationOf({
  id,
  summary,
  description,
  content,
  parameters = [],
  tag = 'releases',
}: About): Operation {
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: `${description}\n\nPublic.`,
    parameters: [...parameters, ...referToRequestHeaders()],
    responses: {
      '200': { description: `${summary}.`, headers: referToHeaders(FILE_HEADERS), content },
      ...NOT_COUNTED,
      ...problemsByStatus(PROBLEMS),
    },
    security: [{}],
  };
}

function json<S extends z.ZodType>(type: S, value: z.output<S>): Record<string, Content> {
  return { 'application/json': { schema: toJsonSchema(type), examples: invented(value) } };
}

function invented(value: unknown) {
  return { invented: { summary: 'Invented', value } };
}
