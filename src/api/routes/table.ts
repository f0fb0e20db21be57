import { AREAS } from '../../../pipeline/artifacts/artifact.ts';
import { IGNORED, NONE, type Query } from '../query/query.ts';
import { ATTESTATION_ROUTES } from './attestations.ts';
import { CHART_ROUTES, OEMBED_ROUTE } from './charts.ts';
import { FILE_ROUTES, FORM_ROUTES } from './files.ts';
import { LOG_ROUTES } from './log.ts';
import { RELEASE_ROUTES } from './releases.ts';
import { type Group, OTHER_GROUPS, type Route, route } from './route.ts';
import { LIVE_ROUTE, SERVICE_ROUTES } from './service.ts';

/** Every path of the service that is described. Where several match, the first one counts. */
export const ROUTES: readonly Route[] = [
  ...FILE_ROUTES,
  ...FORM_ROUTES,
  ...CHART_ROUTES,
  OEMBED_ROUTE,
  ...ATTESTATION_ROUTES,
  ...LOG_ROUTES,
  LIVE_ROUTE,
  ...RELEASE_ROUTES,
  ...SERVICE_ROUTES,
];

export const GROUPS: readonly Group[] = [...AREAS, ...(Object.keys(OTHER_GROUPS) as Group[])];

const PAGE = { id: 'getPage', group: 'service', summary: '', description: '', answer: {} } as const;

/** Pages and what they load are not described: people follow links to them. */
const PAGES: readonly Route[] = [
  route({
    ...PAGE,
    path: '/snapshots/{+page}',
    handler: 'snapshot',
    query: NONE,
    // The index itself is `/snapshots/`, where nothing is left for `page`.
    queryAt: ({ page }) => (page === '' || page!.endsWith('/') ? IGNORED : NONE),
  }),
  route({ ...PAGE, path: '/snapshots', handler: 'snapshot', query: IGNORED }),
];
const ANY_PAGE = route({ ...PAGE, path: '/{+page}', query: null });

/** What a path leads to, with its parameters. */
export interface Routed {
  route: Route;
  parameters: Readonly<Record<string, string>>;
}

interface Pattern {
  route: Route;
  pattern: RegExp;
}

const EXACT = new Map<string, Routed>();
/** By the first segment of the path, so that most paths are compared with none. */
const PATTERNS = new Map<string, Pattern[]>();
for (const route of [...ROUTES, ...PAGES]) {
  const path = route.path.slice(1);
  if (!path.includes('{')) EXACT.set(path, { route, parameters: {} });
  else
    for (const folder of path.startsWith('{area}') ? route.areas! : [path.split('/')[0]!])
      PATTERNS.getOrInsertComputed(folder, () => []).push({ route, pattern: patternOf(path) });
}

/** `charts/{id}.svg` → `/^charts\/(?<id>[^/]+)\.svg$/`. Whether a value exists is looked up where it is answered. */
function patternOf(path: string): RegExp {
  const source = path.split(/(\{\+?\w+\})/).map((part) => {
    const [, spans, name] = /^\{(\+?)(\w+)\}$/.exec(part) ?? [];
    return name === undefined ? RegExp.escape(part) : `(?<${name}>${spans ? '.*' : '[^/]+'})`;
  });
  return new RegExp(`^${source.join('')}$`, 's');
}

/** The row for a path without its leading slash; that of pages for any other. Pure: it depends on no release. */
export function routeAt(path: string): Routed {
  const exact = EXACT.get(path);
  if (exact) return exact;
  const end = path.indexOf('/');
  for (const { route, pattern } of PATTERNS.get(path.slice(0, Math.max(end, 0))) ?? []) {
    const found = pattern.exec(path);
    if (found) return { route, parameters: found.groups ?? {} };
  }
  return { route: ANY_PAGE, parameters: {} };
}

/** What a path takes in its query; null if its file decides. */
export function queryOf({ route, parameters }: Routed): Query | null {
  return route.queryAt?.(parameters) ?? route.query;
}
