import { z } from 'zod';
import type { Area } from '../../../pipeline/artifacts/artifact.ts';
import { catalogueTitle } from '../../../pipeline/artifacts/documents/organisation.ts';
import { toJsonSchema } from '../../../pipeline/ledger/events/json-schema.ts';
import { formatNumber } from '../../../pipeline/words/number.ts';
import { exampleOfProblem, PROBLEM_MEDIA_TYPE, PROBLEMS, type ProblemCode } from '../problem.ts';
import { parametersOf } from '../query/query.ts';
import { VersionQuery } from '../query/version-query.ts';
import { QUOTAS, tierWithoutKey } from '../quotas.ts';
import { ANYWHERE, problemsOf } from '../routes/problems.ts';
import { type ApiFacts, type Content, OTHER_GROUPS, type Route } from '../routes/route.ts';
import { GROUPS, ROUTES } from '../routes/table.ts';
import { keyAreasOf } from '../tiers.ts';
import {
  EVERY_HEADERS,
  FILE_REQUEST_HEADERS,
  type HeaderName,
  headerComponents,
  LIMIT_HEADERS,
  refer,
  referToHeaders,
  VERSION_HEADERS,
} from './described-headers.ts';
/** `/openapi.json`, OpenAPI 3.1: every route, from the table that the server answers from. Pure. */
export function openApiDocument(facts: ApiFacts) {
  const paths = ROUTES.map((route) => [
    // OpenAPI has no word for a parameter that spans slashes.
    route.path.replace('{+', '{'),
    { [route.methods[0] === 'POST' ? 'post' : 'get']: operationOf(route, facts) },
  ]);
  return {
    openapi: '3.1.1',
    info: infoOf(facts),
    servers: [{ url: facts.baseUrl }],
    tags: GROUPS.map((name) => ({ name, description: describeGroup(name, facts) })),
    paths: Object.fromEntries(paths),
    components: {
      schemas: { ...namedSchemas(), Problem: toJsonSchema(ProblemDocument) },
      responses: { ...fileResponses(), ...problemResponses() },
      parameters: Object.fromEntries(CONDITIONS),
      headers: headerComponents(),
      examples: problemExamples(),
      securitySchemes: { key: KEY_SCHEME },
    },
  };
}

/** What a group of routes is about, in plain text. */
export function describeGroup(group: Route['group'], { subjects }: Pick<ApiFacts, 'subjects'>): string {
  if (group in OTHER_GROUPS) return OTHER_GROUPS[group as keyof typeof OTHER_GROUPS].description;
  const area = group as Area;
  const free = tierWithoutKey(area);
  const tiers = Object.entries(QUOTAS[area]).map(([tier, quota]) => {
    const amount = typeof quota === 'number' ? formatNumber(quota) : quota;
    return tier === free ? `${amount} without a key` : `${amount} with a key of the tier ${tier}`;
  });
  return `${subjects[area]}. Requests a day: ${tiers.join(', ')}.`;
}

function infoOf({ baseUrl, version, organisation }: ApiFacts) {
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

const KEY_SCHEME = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'cds_<area>_<30 letters and digits>_<checksum>',
  description:
    'A key has one tier and covers one or more of its areas: `government` (restricted files, unlimited), `economist`, `academic`, `institutional` (higher daily limits). Ask for one by e-mail, and send it as `Authorization: Bearer <key>`, never in an address. Public paths refuse an invalid key, too.',
};

function operationOf(route: Route, facts: ApiFacts) {
  const { id, group, summary, description, parameters, query, sentHeaders = {}, body, about, kind } = route;
  const { baseUrl } = facts;
  const conditions =
    kind === 'file' ? CONDITIONS.filter(([name]) => hasTime(route) || !name.endsWith('Since')) : [];
  const all = [
    ...parametersIn('path', parameters, facts),
    ...(query ? parametersIn('query', parametersOf(query), facts) : []),
    ...parametersIn('header', sentHeaders),
    ...conditions.map(([name]) => refer('parameters', name)),
  ];
  return {
    operationId: id,
    tags: [group],
    summary,
    description: description.replaceAll('](/', `](${baseUrl}/`),
    ...(about && { externalDocs: { description: about.description, url: `${baseUrl}${about.path}` } }),
    ...(all.length > 0 && { parameters: all }),
    ...(body && {
      requestBody: {
        description: body.description,
        required: true,
        content: contentsOf(body.content, facts),
      },
    }),
    responses: responsesOf(route, facts),
    security: securityOf(route),
  };
}

function parametersIn(
  place: 'path' | 'query' | 'header',
  types: Readonly<Record<string, z.ZodType>>,
  { baseUrl }: Pick<ApiFacts, 'baseUrl'> = { baseUrl: '' },
) {
  return Object.entries(types).map(([name, type]) => {
    const { description, examples, invented, ...schema } = toJsonSchema(type, { io: 'input' });
    const value = (examples as [string])[0].replace('{baseUrl}', baseUrl);
    const example = invented ? { examples: { example: { summary: 'Invented', value } } } : { example: value };
    const required = place === 'path' || !type.safeParse(undefined).success;
    // A name may be repeated, or given once.
    const more = schema.type === 'array' ? { ...schema, type: ['array', 'string'] } : schema;
    return { name, in: place, required, description: String(description), schema: more, ...example };
  });
}

/** Request headers of every file, by component name: `IfNoneMatch`. */
export const CONDITIONS = parametersIn('header', FILE_REQUEST_HEADERS).map(
  (header) => [header.name.replaceAll('-', ''), header] as const,
);

/** Keys that make a difference, with their areas; an empty one: none is needed. */
function securityOf({ area, areas, access }: Route) {
  const keyed = keyAreasOf(areas ?? (area === null ? [] : [area]));
  if (access === 'key') return [{ key: keyed }];
  return keyed.length > 0 && access === 'counted' ? [{}, { key: keyed }] : [{}];
}

function responsesOf(route: Route, facts: ApiFacts) {
  const { answer, kind } = route;
  const own = Object.entries(answer).map(([status, { description, content }]) => [
    status,
    { description, headers: referToHeaders(headersOf(route)), content: contentsOf(content, facts) },
  ]);
  const parts = Object.keys(PARTS).map((status) => [status, refer('responses', partName(status, route))]);
  const problems = [...problemsOf(route)].map(([status, codes]) => {
    const other = answer[status];
    if (!other) return [String(status), refer('responses', componentOf(codes))];
    const { content, ...said } = describeProblems(codes);
    return [String(status), { ...said, content: { ...contentsOf(other.content, facts), ...content } }];
  });
  return {
    ...Object.fromEntries(own),
    ...(kind === 'file' && Object.fromEntries(parts)),
    ...Object.fromEntries(problems),
    default: refer('responses', componentOf(ANYWHERE)),
  };
}

/** The time of a file of the log would be that of a server’s own copy. */
const hasTime = ({ handler }: Route) => handler !== 'log';

/** Headers of the responses of a route that are no problems. */
function headersOf(route: Route): HeaderName[] {
  const { access, headers = [], kind, query } = route;
  return [
    ...EVERY_HEADERS,
    ...headers,
    ...(kind === 'file' ? (['ETag', 'Accept-Ranges'] as const) : []),
    ...(kind === 'file' && hasTime(route) ? (['Last-Modified'] as const) : []),
    ...(query === VersionQuery ? VERSION_HEADERS : []),
    ...(access === 'counted' ? LIMIT_HEADERS : []),
  ];
}

function contentsOf(contents: Route['answer'][number]['content'], facts: ApiFacts) {
  return Object.fromEntries(
    Object.entries(contents).map(([mediaType, { type, named, example, exampleOf = 'Invented' }]) => {
      const value = example?.(facts);
      const schema = named ? refer('schemas', named.name) : schemaOf(type);
      const examples = value !== undefined && { examples: { example: { summary: exampleOf, value } } };
      return [mediaType, { schema, ...examples }];
    }),
  );
}

function schemaOf(type: Content['type']) {
  return type === null ? {} : type === 'text' ? { type: 'string' } : toJsonSchema(type);
}

function namedSchemas() {
  const contents = ROUTES.flatMap(({ answer }) => Object.values(answer).map(({ content }) => content));
  return Object.fromEntries(
    contents.flatMap(Object.values<Content>).flatMap(({ type, named }) => {
      if (!named) return [];
      const { name, ...said } = named;
      return [[name, { ...said, ...schemaOf(type) }]];
    }),
  );
}

/** What every file also answers, by status. */
const PARTS = {
  '206': {
    name: 'PartOfFile',
    description: 'The requested range.',
    headers: ['Content-Range'],
    content: { '*/*': { schema: {} } },
  },
  '304': { name: 'NotModified', description: 'The file has not changed.', headers: [] },
} as const;

/** `NotModified.counted`: routes with the same headers have the same response. */
function partName(status: string, route: Route): string {
  const { name } = PARTS[status as keyof typeof PARTS];
  const sent = headersOf(route);
  const kinds = [
    sent.includes('RateLimit') && 'counted',
    sent.includes('Link') && 'versions',
    !sent.includes('Last-Modified') && 'log',
  ];
  return [name, ...kinds.filter((kind) => kind !== false)].join('.');
}

function fileResponses() {
  return Object.fromEntries(
    ROUTES.filter(({ kind }) => kind === 'file').flatMap((route) =>
      Object.entries(PARTS).map(([status, { name: _, description, headers, ...content }]) => {
        const says = route.access === 'counted' ? `${description} Counts as a request.` : description;
        const all = referToHeaders([...headers, ...headersOf(route)]);
        return [partName(status, route), { description: says, headers: all, ...content }];
      }),
    ),
  );
}

/** A problem document (RFC 9457) as `formatProblem` writes it; members may be added. */
const ProblemDocument = z.object({
  type: z.string().meta({
    description: 'Page of the code, as a path from the root',
    examples: ['/problems/not_found/'],
  }),
  title: z
    .string()
    .meta({ description: 'What is wrong, in a few words; the same for every document with this code' }),
  status: z.int().min(400).max(599).meta({ description: 'Status of the response' }),
  detail: z.string().meta({ description: 'What is wrong with this request, for people' }),
  instance: z
    .string()
    .optional()
    .meta({ description: 'The requested path, without its query; missing if it is not known' }),
  code: z
    .enum(Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]])
    .meta({ description: 'For programs; a code never changes its meaning' }),
});

/** The name of the response with these problems. */
function componentOf(codes: readonly ProblemCode[]): string {
  return codes.join('.');
}

/** Each set of problems that some route answers with one status. */
function problemResponses() {
  const sets = ROUTES.flatMap((route) =>
    [...problemsOf(route)].flatMap(([status, codes]) => (route.answer[status] ? [] : [codes])),
  );
  return Object.fromEntries(
    [...sets, ANYWHERE].map((codes) => [componentOf(codes), describeProblems(codes)]),
  );
}

/** Headers that come with a problem. */
const PROBLEM_HEADERS: Readonly<Partial<Record<number, readonly HeaderName[]>>> = {
  400: ['WWW-Authenticate'],
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  405: ['Allow'],
  415: ['Accept-Post', 'Accept-Encoding'],
  416: ['Content-Range'],
  429: ['RateLimit-Policy', 'RateLimit', 'Retry-After'],
  503: ['Retry-After'],
};

function describeProblems(codes: readonly ProblemCode[]) {
  const { status } = PROBLEMS[codes[0]!];
  const headers = codes === ANYWHERE ? [] : (PROBLEM_HEADERS[status] ?? []);
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join(' '),
    headers: referToHeaders([...EVERY_HEADERS, ...headers]),
    content: {
      [PROBLEM_MEDIA_TYPE]: {
        schema: refer('schemas', 'Problem'),
        examples: Object.fromEntries(codes.map((code) => [code, refer('examples', code)])),
      },
    },
    'x-problem-codes': codes,
  };
}

/** `components.examples`: a document of each code, as the service writes it. */
function problemExamples() {
  const entries = (Object.keys(PROBLEMS) as ProblemCode[]).map((code) => [
    code,
    { summary: PROBLEMS[code].title, value: exampleOfProblem(code) },
  ]);
  return Object.fromEntries(entries);
}
