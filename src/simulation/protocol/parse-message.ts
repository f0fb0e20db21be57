import { z } from 'zod';
import { type ActionName, CLIENT_MESSAGES, type ClientMessage, MessageId } from './client-message.ts';
import { describeSchema, type Schema, schemaAt } from './describe-schema.ts';
import { refuse, type SimulationProblemCode, SimulationRefusal } from './problems.ts';

/** Maximum characters of a value found, in a detail: enough to recognise it. */
const SHOWN = 60;
/** Maximum characters of a detail, since what is expected may be long. */
const LONGEST_DETAIL = 300;

/** Parses the text of a message strictly. Throws a SimulationRefusal, with the message's id if it has one. */
export function parseMessage(text: string): ClientMessage {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refuse('malformed_message', `Expected an object, found ${describe(value)}.`);
  try {
    return parseObject(value);
  } catch (error) {
    if (!(error instanceof SimulationRefusal)) throw error;
    const id = MessageId.safeParse((value as { id?: unknown }).id);
    throw id.success ? refuse(error.code, error.message, id.data) : error;
  }
}

function parseObject(value: object): ClientMessage {
  const { action } = value as { action?: unknown };
  if (typeof action !== 'string' || !Object.hasOwn(CLIENT_MESSAGES, action)) {
    const actions = Object.keys(CLIENT_MESSAGES).join(', ');
    throw refuse('unknown_action', `action: expected one of ${actions}; found ${describe(action)}.`);
  }
  const parsed = CLIENT_MESSAGES[action as ActionName].safeParse(value);
  if (parsed.success) return parsed.data;
  // The first error is enough to act on.
  throw refusalOf(parsed.error.issues[0]!, value, schemaOf(action as ActionName));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, refusePrototype);
  } catch {
    throw refuse(
      'malformed_message',
      'Expected JSON text, not nested deeply and without a member __proto__.',
    );
  }
}

/** Schemas silently ignore such a member, and nobody sends it by accident. */
function refusePrototype(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new SyntaxError('a member __proto__');
  return value;
}

const SCHEMAS = new Map<ActionName, Schema>();

function schemaOf(action: ActionName): Schema {
  return SCHEMAS.getOrInsertComputed(
    action,
    () => z.toJSONSchema(CLIENT_MESSAGES[action], { target: 'draft-7', io: 'input' }) as Schema,
  );
}

function refusalOf(issue: z.core.$ZodIssue, message: object, schema: Schema): SimulationRefusal {
  const { path } = issue;
  const at = schemaAt(schema, path);
  const found = valueAt(message, path);
  if (issue.code === 'unrecognized_keys') {
    const members = Object.keys(at?.properties ?? {}).join(', ');
    return refuse(
      codeAt(path),
      detailOf(path, `no members except ${members}`, describe(issue.keys[0]), 'the member '),
    );
  }
  if (issue.code === 'invalid_key') {
    const names = schemaAt(schema, path.slice(0, -1))?.propertyNames ?? {};
    return refuse(codeAt(path), detailOf(path.slice(0, -1), describeSchema(names), describe(path.at(-1))));
  }
  return refuse(codeAt(path), detailOf(path, at ? describeSchema(at) : 'nothing', describe(found)));
}

function detailOf(path: readonly PropertyKey[], expected: string, found: string, kind = ''): string {
  const place = path.length === 0 ? 'the message' : path.map(String).join('.').slice(0, SHOWN);
  const end = expected.includes(',') ? ';' : ',';
  return `${place}: expected ${expected.slice(0, LONGEST_DETAIL)}${end} found ${kind}${found}.`;
}

/** Members that have a code of their own. */
function codeAt(path: readonly PropertyKey[]): SimulationProblemCode {
  const [first] = path;
  if (first === 'seed') return 'invalid_seed';
  if (first === 'settings') return 'invalid_settings';
  const depth = path.indexOf('parameters');
  return depth >= 0 && depth < path.length - 1 ? 'invalid_parameters' : 'invalid_message';
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((at, step) => (at as Record<PropertyKey, unknown> | undefined)?.[step], value);
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`;
}
