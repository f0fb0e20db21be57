import { z } from 'zod';
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
import { NONE } from '../query/query.ts';
import { VersionQuery } from '../query/version-query.ts';
import { type Content, type Route, route } from './route.ts';

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
const ACCESS_LOG_KEY = 'data.example.org/access-log+2c3d4e5f+AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB';
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

const PARAMETERS = {
  snapshot: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}T(00|06|12|18)Z$/)
    .meta({ description: 'Id of a snapshot, from the snapshot list.', example: ID, invented: true }),
  area: z.string().meta({ description: 'First segment of the file’s path.', example: 'economy' }),
  file: z.string().meta({ description: 'The rest of the path.', example: 'supply' }),
};

const json = <S extends z.core.$ZodType>(
  type: S,
  value: z.output<S>,
): Route['answer'][number]['content'] => ({
  'application/json': { type, example: () => value },
});
const text = (value: string) => ({
  [mediaTypeOf(SIGNATURE_PATH)]: { type: 'text', example: () => value } satisfies Content,
});

/** The proofs of a release: files of it. */
const PROOF_ROUTES: readonly Route[] = [
  releaseRoute(`/${LATEST_PATH}`, 'getLatest', json(LatestSchema, LATEST), {
    summary: 'The current release',
    description: 'With the hash and length of its manifest. It is written last.',
  }),
  releaseRoute(`/${MANIFEST_PATH}`, 'getManifest', json(PublicManifest, MANIFEST), {
    summary: 'Every public file of the release',
    description:
      'Path, SHA-256, length, media type and rows of each file, and the ledger snapshot that the release was built from.',
  }),
  releaseRoute(`/${SIGNATURE_PATH}`, 'getManifestSignature', text(SIGNATURE), {
    summary: 'The publisher’s signature over the manifest',
    description: 'A signed note (c2sp.org/signed-note) over the version, SHA-256 and length of the manifest.',
  }),
  releaseRoute('/publisher.vkey', 'getPublisherKeys', text(`${KEY}\n`), {
    group: 'service',
    summary: 'The publisher’s verifier keys',
    description:
      'One per line; during a rotation the next key comes first. Compare them with a copy that you got out of band.',
  }),
  releaseRoute('/ledger.vkey', 'getLedgerKey', text(`${LEDGER_KEY}\n`), {
    group: 'service',
    summary: 'The ledger’s verifier key',
    description:
      'The key that signed the checkpoint that the release was built from. Compare it with a copy that you got out of band.',
  }),
  releaseRoute('/access-log.vkey', 'getAccessLogKeys', text(`${ACCESS_LOG_KEY}\n`), {
    group: 'service',
    summary: 'The verifier keys of the access log',
    description:
      'One per line, the newest first: with it, the server signs the newest entry of its access log each hour. Absent before the first server was started, and where several machines share a log, whose publishers sign it.',
  }),
];

/** What is below `/snapshots/`, beside the releases. */
const SNAPSHOT_ROUTES: readonly Route[] = [
  snapshotRoute(`/${LIST_PATH}`, 'listSnapshots', json(SnapshotIndex, [ENTRY]), {
    summary: 'The snapshot list',
    description: 'Newest first, each with the hash of its index.',
  }),
  snapshotRoute(`/${LIST_SIGNATURE_PATH}`, 'getSnapshotsSignature', text(LIST_SIGNATURE), {
    summary: 'The publisher’s signature over the snapshot list',
    description:
      'A signed note (c2sp.org/signed-note) over the version of the release, and the SHA-256 and length of the list. It is written after the list.',
  }),
  snapshotRoute('/snapshots/{snapshot}/index.json', 'getSnapshot', json(Snapshot, SNAPSHOT_INDEX), {
    summary: 'The index of a snapshot',
    description:
      'Each file with its hash and address. For a history, its header and the range of the current file that is its remainder. It never changes.',
  }),
  snapshotRoute(
    '/snapshots/{snapshot}/{area}/{+file}',
    'getFileOfSnapshot',
    {
      'application/json': { type: null, example: () => ({ total_supply: 1_250_000 }) },
      '*/*': { type: null },
    },
    {
      // Of a file that another snapshot stores.
      headers: ['Content-Location', 'Memento-Datetime', 'Link'],
      summary: 'A data file of a snapshot',
      description:
        'In the same format as at the path without /snapshots/ and the id. It never changes. The service assembles histories, which are not copied; on a static host, the index of the snapshot says how.',
    },
  ),
];

export const RELEASE_ROUTES: readonly Route[] = [...PROOF_ROUTES, ...SNAPSHOT_ROUTES];

type About = Pick<Route, 'summary' | 'description'> & Partial<Route>;

function snapshotRoute(path: string, id: string, content: Route['answer'][number]['content'], about: About) {
  const named = Object.entries(PARAMETERS).filter(([name]) => RegExp(`\\{\\+?${name}\\}`).test(path));
  const parameters = Object.fromEntries(named);
  return releaseRoute(path, id, content, { handler: 'snapshot', query: NONE, parameters, ...about });
}

function releaseRoute(path: string, id: string, content: Route['answer'][number]['content'], about: About) {
  return route({
    path,
    id,
    group: 'releases',
    query: VersionQuery,
    answer: { 200: { description: `${about.summary}.`, content } },
    problems: ['not_found', 'before_first_snapshot', 'version_not_kept'],
    ...about,
    description: `${about.description}\n\nPublic.`,
  });
}
