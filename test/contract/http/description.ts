import { Ajv2020 } from 'ajv/dist/2020.js';
import { ANYWHERE } from '../../../src/api/routes/problems.ts';
import { routeAt } from '../../../src/api/routes/table.ts';
import { goldenDocument } from '../../api/openapi/golden-document.ts';
import type { Answer as Described, Operation } from '../../api/openapi/operation.ts';
import { isReference } from '../../api/openapi/operations-in.ts';
import type { Answer } from './client.ts';

// What the OpenAPI description says of an answer is so: its status, media type, headers, problem code and form.

const description = goldenDocument();
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ $id: 'api', ...description });

/** On answers of every path, and said once for all; or in the media type. */
const NOT_DESCRIBED =
  /^(access-control-.*|connection|content-(encoding|length|security-policy|type)|date|keep-alive|referrer-policy|strict-transport-security|transfer-encoding|vary|x-accel-buffering|x-content-type-options)$/;

export interface Asked {
  method: string;
  /** With its query. */
  target: string;
}

/** The path and the operation that are asked for, if they are described. */
export function operationOf({ method, target }: Asked): { path: string; operation: Operation } | null {
  const { path: pattern } = routeAt(target.split('?')[0]!.slice(1)).route;
  // A parameter that spans folders is one like others in OpenAPI.
  const path = pattern.replaceAll('{+', '{');
  const { get, post } = description.paths[path] ?? {};
  const operation = method === 'POST' ? (post ?? get) : (get ?? post);
  return operation ? { path, operation } : null;
}

/** The paths of the description. */
export const describedPaths = Object.keys(description.paths);

/** Where an answer is not as its operation is described; `text` is its body, decoded. */
export function undescribedIn(asked: Asked, { status, headers: sent }: Answer, text: () => string): string[] {
  const found = operationOf(asked);
  if (found === null || asked.method === 'OPTIONS') return [];
  const headers = new Map([...sent].map(([name, value]) => [name.toLowerCase(), value]));
  const mediaType = headers.get('content-type') ?? '';
  const isProblem = mediaType === 'application/problem+json' && asked.method !== 'HEAD';
  const { code } = isProblem ? (JSON.parse(text()) as { code: string }) : {};
  if ((ANYWHERE as readonly (string | undefined)[]).includes(code)) return [];
  const answer = answerOf(found.operation, status);
  if (answer === null) return [`the description has no ${status}`];
  const { content = {} } = answer;
  const faults = headerFaults(Object.keys(answer.headers ?? {}), status, headers);
  const codes: readonly string[] = answer['x-problem-codes'] ?? [];
  if (code !== undefined && !codes.includes(code)) faults.push(`the description has no ${code}`);
  if (status === 206 || status === 304 || asked.method === 'HEAD') return faults;
  const written = [mediaType, '*/*'].find((one) => one in content);
  if (written === undefined) return [...faults, `the description has no ${mediaType}`];
  if (!/[/+]json$/.test(written)) return faults;
  const { schema } = content[written]!;
  const validate = ajv.compile(isReference(schema) ? { $ref: `api${schema.$ref}` } : schema);
  if (!validate(JSON.parse(text()))) faults.push(`not as described: ${ajv.errorsText(validate.errors)}`);
  return faults;
}

function answerOf({ responses }: Operation, status: number): Described | null {
  const found = responses[String(status)];
  if (!found || !isReference(found)) return found ?? null;
  return description.components.responses[found.$ref.split('/').at(-1)!]!;
}

function headerFaults(
  promised: readonly string[],
  status: number,
  headers: ReadonlyMap<string, string>,
): string[] {
  const known = promised.map((name) => name.toLowerCase());
  const isProblem = headers.get('content-type') === 'application/problem+json';
  const sent = [...headers.keys()].filter((name) => !NOT_DESCRIBED.test(name));
  // Missing where a shared cache may keep the response or the tier has no quota, as the row says; where the version is the current one;
  // where no key is wrong; and where a server says that it is not ready.
  const mayLack = [
    ...(status < 400 ? ['ratelimit', 'ratelimit-policy'] : []),
    ...(headers.has('link') ? [] : ['content-location', 'link', 'memento-datetime']),
    ...(status === 400 ? ['www-authenticate'] : []),
    ...(status === 415 ? ['accept-encoding', 'accept-post'] : []),
    ...(isProblem ? [] : ['retry-after']),
  ];
  return [
    ...sent.filter((name) => !known.includes(name)).map((name) => `the description has no header ${name}`),
    ...known
      .filter((name) => !sent.includes(name) && !mayLack.includes(name))
      .map((name) => `the described header ${name} is missing`),
  ];
}
