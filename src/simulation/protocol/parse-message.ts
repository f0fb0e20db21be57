import { z } from 'zod';
import type { JsonSchema } from '../../../pipeline/artifacts/data-dictionary.ts';
import {
  JsonFault,
  type JsonRules,
  readStrictJson,
  roundNumbers,
} from '../../../pipeline/ledger/events/json.ts';
import {
  describeFault,
  describeValue,
  faultAt,
  SimulationFault,
  type SimulationProblemCode,
} from '../fault.ts';
import { type ActionName, CLIENT_MESSAGES, type ClientMessage, MessageId } from './client-message.ts';
import { describeSchema, schemaAt } from './describe-schema.ts';

/** Parses the text of a message strictly. Throws a SimulationFault, with the message's id if it has one. */
export function parseMessage(text: string): ClientMessage {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw faultAt('malformed_message', WHOLE, 'an object', value);
  try {
    return parseObject(value);
  } catch (error) {
    if (!(error instanceof SimulationFault)) throw error;
    const id = MessageId.safeParse((value as { id?: unknown }).id);
    throw id.success ? new SimulationFault(error.code, error.message, id.data) : error;
  }
}

function parseObject(value: object): ClientMessage {
  const { action } = value as { action?: unknown };
  if (typeof action !== 'string' || !Object.hasOwn(CLIENT_MESSAGES, action)) {
    const expected = `one of ${Object.keys(CLIENT_MESSAGES).join(', ')}`;
    throw faultAt('unknown_action', 'action', expected, action);
  }
  const parsed = CLIENT_MESSAGES[action as ActionName].safeParse(value);
  if (parsed.success) return parsed.data;
  // The first error is enough to act on.
  throw refusalOf(parsed.error.issues[0]!, value, schemaOf(action as ActionName));
}

/** Members of members: no message has as many levels. */
const RULES: JsonRules = { maxDepth: 16, hazards: 'refuse', numbers: 'as written' };

function parseJson(text: string): unknown {
  try {
    // A number beyond a double is a number that its member does not take.
    return roundNumbers(readStrictJson(text, RULES));
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    throw new SimulationFault('malformed_message', `${WHOLE}, ${error.message}.`);
  }
}

const SCHEMAS = new Map<ActionName, JsonSchema>();

function schemaOf(action: ActionName): JsonSchema {
  return SCHEMAS.getOrInsertComputed(
    action,
    () => z.toJSONSchema(CLIENT_MESSAGES[action], { target: 'draft-7', io: 'input' }) as JsonSchema,
  );
}

function refusalOf(issue: z.core.$ZodIssue, message: object, schema: JsonSchema): SimulationFault {
  const { path } = issue;
  const at = schemaAt(schema, path);
  const refuse = (where: readonly PropertyKey[], expected: string, found: string) =>
    new SimulationFault(codeAt(path), describeFault(where.map(String).join('.') || WHOLE, expected, found));
  if (issue.code === 'unrecognized_keys') {
    const members = Object.keys(at?.properties ?? {}).join(', ');
    return refuse(path, `no members except ${members}`, `the member ${describeValue(issue.keys[0])}`);
  }
  if (issue.code === 'invalid_key') {
    const place = path.slice(0, -1);
    const names = schemaAt(schema, place)?.propertyNames ?? {};
    return refuse(place, describeSchema(names), describeValue(path.at(-1)));
  }
  return refuse(path, at ? describeSchema(at) : 'nothing', describeValue(valueAt(message, path)));
}

/** The place of a message that is wrong as a whole. */
const WHOLE = 'the message';

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
