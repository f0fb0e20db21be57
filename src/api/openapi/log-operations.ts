import { toJsonSchema } from '../../../pipeline/ledger/events/json-schema.ts';
import { EVENT_DAYS_FOLDER, EventDays, eventDaysPath } from '../../../pipeline/ledger/log/event-days.ts';
import { formatPolicy } from '../../../pipeline/ledger/log/public-events.ts';
import { LOG_HEADERS } from '../../../pipeline/release/format/headers.ts';
import { mediaTypeOf } from '../../../pipeline/release/format/media-types.ts';
import { securityOf } from './artifact-operations.ts';
import { FILE_HEADERS, referToHeaders, referToRequestHeaders } from './headers.ts';
import type { Content, Operation, Parameter, PathOperation } from './operation.ts';
import { NOT_COUNTED, type ProblemResponseName, problemsByStatus } from './responses.ts';

/** Invented, with an invalid signature. */
const CHECKPOINT = `ledger.example.org/cathedral
28912
sFodV/vSp5O8n9a8QpW6PRY97tfOSW5bsc2Xl/EQi08=

— ledger.example.org/cathedral 7mQ2kAAA
`;

const LEVEL: Parameter = {
  name: 'level',
  in: 'path',
  required: true,
  description:
    'Level of the hashes in the tile: at level 0 each covers one event, at level 1 it covers 256, and so on.',
  schema: { type: 'string', pattern: '^(0|[1-9]\\d?)$' },
  example: '0',
};

const SIZE: Parameter = {
  name: 'size',
  in: 'path',
  required: true,
  description: 'Number of events that the checkpoint covers.',
  schema: { type: 'string', pattern: '^(0|[1-9]\\d{0,15})$' },
  example: '704',
};

const TILE: Parameter = {
  name: 'tile',
  in: 'path',
  required: true,
  description:
    'Number of the tile in groups of three digits, all but the last with a leading x: tile 1234067 is x001/x234/067, with unencoded slashes. For a partial tile, .p/ and its width follow.',
  schema: { type: 'string', pattern: '^(x\\d{3}/)*\\d{3}(\\.p/[1-9]\\d{0,2})?$' },
  example: '000',
};

const VERSION: Parameter = {
  name: 'version',
  in: 'path',
  required: true,
  description:
    'The letter v and the version of the decisions which events are public, from /log/public/policy.json.',
  schema: { type: 'string', pattern: '^v[1-9]\\d{0,8}$' },
  example: 'v1',
};

const MONTH: Parameter = {
  name: 'month',
  in: 'path',
  required: true,
  description: 'A calendar month with events, UTC.',
  schema: { type: 'string', pattern: '^\\d{4}-\\d{2}$' },
  example: '2025-12',
};

/** Invented. */
const EVENT_DAYS: EventDays = {
  month: '2025-12',
  version: 1,
  days: [
    {
      date: '2025-12-01',
      first: 28_672,
      end: 28_912,
      bundles: [{ bundle: 112, from: '00:04:10Z', types: ['mic_burn', 'mic_mint'] }],
    },
  ],
};

const PROBLEMS: ProblemResponseName[] = [
  'BadRequest',
  'NotFound',
  'MethodNotAllowed',
  'PreconditionFailed',
  'RangeNotSatisfiable',
];

/** The ledger’s Merkle tree as static files (c2sp.org/tlog-tiles). */
export function logOperations(): PathOperation[] {
  const text: Content = {
    schema: { type: 'string' },
    examples: { invented: { summary: 'Invented', value: CHECKPOINT } },
  };
  return [
    [
      '/log/checkpoint',
      operation('getLogCheckpoint', 'Checkpoint of the log', {
        description:
          'The size and root hash of the Merkle tree over all events, signed by the ledger’s key (c2sp.org/tlog-checkpoint). Public. Changes with each release.',
        content: [LOG_HEADERS.checkpoint['Content-Type']!, text],
      }),
    ],
    [
      '/log/cosigned/{size}',
      operation('getCosignedCheckpoint', 'Checkpoint that witnesses cosigned', {
        description:
          'A checkpoint of the log at an earlier size, or the newest one, with the cosignatures of witnesses (c2sp.org/tlog-cosignature). 404 if no witness has cosigned one of this size. Public.',
        content: [LOG_HEADERS.checkpoint['Content-Type']!, text],
        parameters: [SIZE],
      }),
    ],
    [
      '/log/tile/{level}/{tile}',
      operation('getLogTile', 'Hashes of the log', {
        description:
          'Up to 256 hashes of one level of the tree, 32 bytes each (c2sp.org/tlog-tiles). They are enough to prove that an event is in the log and that one checkpoint extends another. Public. A tile never changes.',
        content: [LOG_HEADERS.tile['Content-Type']!, { schema: {} }],
        parameters: [LEVEL, TILE],
      }),
    ],
    [
      '/log/public/policy.json',
      operation('getLogPolicy', 'Decisions which events are public', {
        description:
          'By event type: whether its events are published, with which members, and why. Its version is in the addresses of the bundles of public events. Public.',
        content: [
          LOG_HEADERS.policy['Content-Type']!,
          {
            schema: { type: 'object' },
            examples: { current: { summary: 'Of this version', value: JSON.parse(formatPolicy()) } },
          },
        ],
      }),
    ],
    [
      '/log/public/{version}/{tile}',
      operation('getLogPublicEvents', 'Public events of the log', {
        description:
          'Up to 256 events in the layout of entry bundles: the line of each public event with its salt, preceded by its length in two bytes, and length 0 for each event that stays a hash. The hash of a line is at the same position of the tile with the same number at level 0. Public. A bundle never changes.',
        content: [LOG_HEADERS.public['Content-Type']!, { schema: {} }],
        parameters: [VERSION, TILE],
      }),
    ],
    [
      `/${EVENT_DAYS_FOLDER}/{month}.json`,
      operation('getEventDays', 'Where the events of a month are in the log', {
        description:
          'For each day with events: their indexes in the log, and the bundles that hold its public events. A file of the release, so it is signed. Public. The file of a closed month never changes.',
        content: [
          mediaTypeOf(eventDaysPath(EVENT_DAYS.month)),
          {
            schema: toJsonSchema(EventDays),
            examples: { invented: { summary: 'Invented', value: EVENT_DAYS } },
          },
        ],
        parameters: [MONTH],
      }),
    ],
    ['/log/tile/entries/{tile}', entries()],
  ];
}

function entries(): Operation {
  const open = operation('getLogEntries', 'Events of the log', {
    description:
      'Up to 256 events, each preceded by its length in two bytes (c2sp.org/tlog-tiles): the lines of the ledger whose hashes are at level 0.\n\nNeeds a government key; every access is logged. An entry bundle never changes.',
    content: [LOG_HEADERS.bundle['Content-Type']!, { schema: {} }],
    parameters: [TILE],
  });
  return {
    ...open,
    tags: ['government'],
    responses: {
      ...open.responses,
      ...problemsByStatus(['KeyRequired', 'WrongArea', 'RestrictedUnavailable']),
    },
    security: securityOf({ area: 'government', restricted: true }),
  };
}

interface About {
  description: string;
  content: [mediaType: string, content: Content];
  parameters?: Parameter[];
}

function operation(
  operationId: string,
  summary: string,
  { description, content: [mediaType, content], parameters = [] }: About,
): Operation {
  return {
    operationId,
    tags: ['log'],
    summary,
    description,
    parameters: [...parameters, ...referToRequestHeaders()],
    responses: {
      '200': {
        description: `${summary}.`,
        headers: referToHeaders(FILE_HEADERS),
        content: { [mediaType]: content },
      },
      ...NOT_COUNTED,
      ...problemsByStatus([...PROBLEMS, 'InvalidKey', 'Unavailable']),
    },
    security: [{}],
  };
}
