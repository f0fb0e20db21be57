import { DEFAULT_LICENCE } from '../../../pipeline/artifacts/documents/organisation.ts';
import { asyncApiDocument } from '../../simulation/protocol/async-api-document.ts';
import { describeSchema, type Schema } from '../../simulation/protocol/describe-schema.ts';

interface MemberRow {
  /** `current_state.deliberation.votes[].tick` */
  path: string;
  /** What it may be, in words. */
  type: string;
  /** Optional, or present in some messages only. */
  optional: boolean;
  /** As JSON; null for none. */
  fallback: string | null;
  meaning: string;
}

export interface MessageRows {
  name: string;
  summary: string;
  members: MemberRow[];
}

/** The schema of each message, from the AsyncAPI description. */
export function messageSchemas(): [name: string, payload: Schema][] {
  const { components } = asyncApiDocument({
    baseUrl: 'https://localhost',
    version: '',
    organisation: { name: '', contact: '', licence: DEFAULT_LICENCE },
  }) as {
    components: { messages: Record<string, { payload: Schema }> };
  };
  return Object.entries(components.messages).map(([name, { payload }]) => [name, payload]);
}

/** Each message with all its members, those of members too. */
export function messageRows(): MessageRows[] {
  return messageSchemas().map(([name, payload]) => ({
    name,
    summary: payload.description ?? '',
    members: rowsBelow(payload, '', new Map()),
  }));
}

/** `seen`: the members that have been described, by schema, so that a shape is described once. */
function rowsBelow(schema: Schema, path: string, seen: Map<string, string>): MemberRow[] {
  const { properties, required = [], items, additionalProperties: others } = schema;
  if (properties)
    return Object.entries(properties).flatMap(([name, member]) =>
      rowsOf(member, path === '' ? name : `${path}.${name}`, !required.includes(name), seen),
    );
  if (items) return rowsOf(items, `${path}[]`, false, seen);
  if (typeof others === 'object') return rowsOf(others, `${path}.*`, false, seen);
  return (schema.anyOf ?? schema.oneOf ?? []).flatMap((one) => rowsBelow(one, path, seen));
}

function rowsOf(schema: Schema, path: string, optional: boolean, seen: Map<string, string>): MemberRow[] {
  const { description = '', ...shape } = schema;
  const fallback = 'default' in schema ? JSON.stringify(schema.default) : null;
  const row = { path, type: describeSchema(schema), optional, fallback };
  const key = JSON.stringify(shape);
  const known = seen.get(key);
  if (known !== undefined) return [{ ...row, meaning: `${description} Its members are those of ${known}.` }];
  const below = rowsBelow(schema, path, seen);
  if (below.length > 1) seen.set(key, path);
  // That an element of a list is an object is clear from its members.
  return description === '' && below.length > 0 ? below : [{ ...row, meaning: description }, ...below];
}
