import { z } from 'zod';
import { EVENT_DAYS_FOLDER, EventDays, eventDaysPath } from '../../../pipeline/ledger/log/event-days.ts';
import { formatPolicy, PUBLIC_VERSION } from '../../../pipeline/ledger/log/public-events.ts';
import { mediaTypeOf } from '../../../pipeline/release/format/media-types.ts';
import { LOG_HEADERS } from '../../../pipeline/release/format/response-headers.ts';
import { NONE } from '../query/query.ts';
import { VersionQuery } from '../query/version-query.ts';
import { type Content, ok, type Route, route } from './route.ts';

/** Invented, with an invalid signature. */
const CHECKPOINT = `ledger.example.org/cathedral
28912
sFodV/vSp5O8n9a8QpW6PRY97tfOSW5bsc2Xl/EQi08=

— ledger.example.org/cathedral 7mQ2kAAA
`;

const EVENT_DAYS: EventDays = {
  month: '2025-12',
  version: PUBLIC_VERSION,
  days: [
    {
      date: '2025-12-01',
      first: 28_672,
      end: 28_912,
      bundles: [{ bundle: 112, from: '00:04:10Z', types: ['mic_burn', 'mic_mint'] }],
    },
  ],
};

const part = (pattern: RegExp, example: string, description: string) =>
  z.string().regex(pattern).meta({ description, example });

const PARAMETERS = {
  level: part(
    /^(0|[1-9]\d?)$/,
    '0',
    'Level of the hashes in the tile: at level 0 each covers one event, at level 1 it covers 256, and so on.',
  ),
  size: part(/^(0|[1-9]\d{0,15})$/, '704', 'Number of events that the checkpoint covers.').meta({
    invented: true,
  }),
  tile: part(
    /^(x\d{3}\/)*\d{3}(\.p\/[1-9]\d{0,2})?$/,
    '000',
    'Number of the tile in groups of three digits, all but the last with a leading x: tile 1234067 is x001/x234/067, with unencoded slashes. For a partial tile, .p/ and its width follow.',
  ),
  version: part(
    /^v[1-9]\d{0,8}$/,
    `v${PUBLIC_VERSION}`,
    'The letter v and the version of the policy, from /log/public/policy.json.',
  ),
  month: part(/^\d{4}-\d{2}$/, '2025-12', 'A calendar month with events, UTC.'),
};
type Name = keyof typeof PARAMETERS;

const text: Content = { type: 'text', example: () => CHECKPOINT };
const bytes: Content = { type: null };

/** The ledger’s Merkle tree as static files (c2sp.org/tlog-tiles). The server looks each address up in its only spelling. */
export const LOG_ROUTES: readonly Route[] = [
  logRoute('/log/checkpoint', 'getLogCheckpoint', 'checkpoint', text, {
    summary: 'Checkpoint of the log',
    description:
      'The size and root hash of the Merkle tree over all events, signed by the ledger’s key (c2sp.org/tlog-checkpoint). Public. Changes with each release.',
  }),
  logRoute('/log/cosigned/{size}', 'getCosignedCheckpoint', 'checkpoint', text, {
    summary: 'Checkpoint that witnesses cosigned',
    description:
      'A checkpoint of the log at an earlier size, or the newest one, with the cosignatures of witnesses (c2sp.org/tlog-cosignature). 404 if no witness has cosigned one of this size. Public.',
  }),
  logRoute('/log/tile/entries/{+tile}', 'getLogEntries', 'bundle', bytes, {
    group: 'government',
    area: 'government',
    access: 'key',
    summary: 'Events of the log',
    description:
      'Up to 256 events, each preceded by its length in two bytes (c2sp.org/tlog-tiles): the lines of the ledger whose hashes are at level 0.\n\nNeeds a government key; every access is logged. An entry bundle never changes.',
  }),
  logRoute('/log/tile/{level}/{+tile}', 'getLogTile', 'tile', bytes, {
    summary: 'Hashes of the log',
    description:
      'Up to 256 hashes of one level of the tree, 32 bytes each (c2sp.org/tlog-tiles). They are enough to prove that an event is in the log and that one checkpoint extends another. Public. A tile never changes.',
  }),
  logRoute(
    '/log/public/policy.json',
    'getLogPolicy',
    'policy',
    {
      type: z.object({}).loose(),
      example: () => JSON.parse(formatPolicy()),
      exampleOf: 'Of this version',
    },
    {
      summary: 'Which events are public',
      description:
        'By event type: whether its events are published, with which members, and why. Its version is in the addresses of the bundles of public events. Public.',
    },
  ),
  route({
    path: `/${EVENT_DAYS_FOLDER}/{month}.json`,
    id: 'getEventDays',
    group: 'log',
    parameters: { month: PARAMETERS.month },
    query: VersionQuery,
    summary: 'Where the events of a month are in the log',
    description:
      'For each day with events: their indexes in the log, and the bundles that hold its public events. A file of the release, so it is signed. Public. The file of a closed month never changes.',
    answer: ok('The days of the month.', mediaTypeOf(eventDaysPath(EVENT_DAYS.month)), {
      type: EventDays,
      example: () => EVENT_DAYS,
    }),
    problems: ['not_found', 'before_first_snapshot', 'version_not_kept'],
  }),
  logRoute('/log/public/{version}/{+tile}', 'getLogPublicEvents', 'public', bytes, {
    summary: 'Public events of the log',
    description:
      'Up to 256 events in the layout of entry bundles: the line of each public event with its salt, preceded by its length in two bytes, and length 0 for each event that stays a hash. The hash of a line is at the same position of the tile with the same number at level 0. Public. A bundle never changes.',
  }),
];

function logRoute(
  path: string,
  id: string,
  kind: keyof typeof LOG_HEADERS,
  content: Content,
  about: Pick<Route, 'summary' | 'description'> & Partial<Route>,
): Route {
  const names = [...path.matchAll(/\{\+?(\w+)\}/g)].map(([, name]) => name as Name);
  return route({
    path,
    id,
    group: 'log',
    handler: 'log',
    parameters: Object.fromEntries(names.map((name) => [name, PARAMETERS[name]])),
    query: NONE,
    answer: ok(`${about.summary}.`, LOG_HEADERS[kind]['Content-Type']!, content),
    problems: ['not_found'],
    ...about,
  });
}
