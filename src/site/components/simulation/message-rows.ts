import { asyncApiDocument } from '../../../simulation/protocol/async-api-document.ts';

interface MemberRow {
  name: string;
  type: string;
  /** Optional, or present in some messages only. */
  optional: boolean;
  meaning: string;
}

export interface MessageRows {
  name: string;
  summary: string;
  members: MemberRow[];
}

interface Schema {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
}

/** Each message with its members, from the AsyncAPI description. */
export function messageRows(): MessageRows[] {
  const { components } = asyncApiDocument({ baseUrl: 'https://localhost', version: '', contact: '' }) as {
    components: { messages: Record<string, { summary: string; payload: Schema }> };
  };
  return Object.entries(components.messages).map(([name, { summary, payload }]) => ({
    name,
    summary,
    members: Object.entries(payload.properties ?? {}).map(([member, schema]) => ({
      name: member,
      type: typeOf(schema),
      optional: !payload.required?.includes(member),
      meaning: schema.description ?? '',
    })),
  }));
}

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ');
  return schema.type ?? 'any';
}
