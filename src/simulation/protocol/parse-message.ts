import type { z } from 'zod';
import { type ActionName, CLIENT_MESSAGES, type ClientMessage } from './client-message.ts';
import { refuse, type SimulationRefusal } from './refusal.ts';

/** Maximum characters of a value found, in a detail: enough to recognise it. */
const SHOWN = 60;
/** Maximum characters of a detail, because schema errors name every unexpected member. */
const LONGEST_DETAIL = 200;

/** Parses the text of a message strictly. Throws a SimulationRefusal. */
export function parseMessage(text: string): ClientMessage {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refuse('malformed_message', `Expected an object, found ${describe(value)}.`);
  const { action } = value as { action?: unknown };
  if (typeof action !== 'string' || !Object.hasOwn(CLIENT_MESSAGES, action)) {
    const actions = Object.keys(CLIENT_MESSAGES).join(', ');
    throw refuse('unknown_action', `action: expected one of ${actions}, found ${describe(action)}.`);
  }
  const parsed = CLIENT_MESSAGES[action as ActionName].safeParse(value);
  if (parsed.success) return parsed.data;
  throw faultOf(parsed.error);
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

/** The first error is enough to act on. */
function faultOf({ issues }: z.ZodError): SimulationRefusal {
  const { path, message } = issues[0]!;
  const place = path.length === 0 ? 'The message' : path.map(String).join('.').slice(0, SHOWN);
  return refuse('invalid_message', `${place}: ${message.slice(0, LONGEST_DETAIL)}.`);
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  return JSON.stringify(value).slice(0, SHOWN);
}
