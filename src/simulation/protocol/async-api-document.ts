import type { z } from 'zod';
import type { Organisation } from '../../../pipeline/artifacts/documents/organisation.ts';
import { toJsonSchema } from '../../../pipeline/ledger/events/json-schema.ts';
import { CLIENT_MESSAGES } from './client-message.ts';
import { CONVERSATION } from './examples.ts';
import { CLOSE_CODES, PROTOCOL_PAGE } from './problems.ts';
import { SERVER_MESSAGES } from './server-message.ts';

export interface AsyncApiFacts {
  /** Address of the service: `https://data.example.org`. */
  baseUrl: string;
  /** Version of this software: `1.0.0`. */
  version: string;
  organisation: Pick<Organisation, 'name' | 'contact' | 'licence'>;
}

type Part = Record<string, unknown>;

/** `/asyncapi.json`, AsyncAPI 3.0, from the schemas that messages are parsed with. Pure. */
export function asyncApiDocument({ baseUrl, version, organisation }: AsyncApiFacts): Part {
  const { protocol, host } = new URL(baseUrl);
  const { name, contact, licence } = organisation;
  return {
    asyncapi: '3.0.0',
    info: {
      title: `${name}: governance simulation`,
      version,
      description: DESCRIPTION,
      contact: { name, url: baseUrl, email: contact },
      license: { name: licence.title, url: `${baseUrl}/licence/` },
      externalDocs: { url: `${baseUrl}${PROTOCOL_PAGE}`, description: 'Every message, with examples.' },
    },
    defaultContentType: 'application/json',
    servers: { service: { host, protocol: protocol === 'https:' ? 'wss' : 'ws' } },
    channels: {
      simulation: {
        address: '/philosophy/simulation',
        description: closeCodes(),
        servers: [{ $ref: '#/servers/service' }],
        messages: referTo([...Object.keys(CLIENT_MESSAGES), ...Object.keys(SERVER_MESSAGES)], 'components'),
        bindings: { ws: { method: 'GET', bindingVersion: '0.1.0' } },
      },
    },
    operations: {
      follow: {
        ...operation(
          'receive',
          'Messages of the client. Each is answered by one message.',
          Object.keys(CLIENT_MESSAGES),
        ),
        reply: {
          channel: { $ref: '#/channels/simulation' },
          messages: referenced(Object.keys(SERVER_MESSAGES)),
        },
      },
      tell: operation('send', 'Updates of ticks, which answer no message.', ['simulation_update']),
    },
    components: {
      messages: { ...messagesOf(CLIENT_MESSAGES, 'input'), ...messagesOf(SERVER_MESSAGES, 'output') },
    },
  };
}

const DESCRIPTION = `A deliberation of ten sentinels, which a client starts, watches and takes part in. Without authentication; a key that is sent is counted by its tier. Starts are counted for each network and day. The same scenario, seed and actions give the same updates on any machine.`;

function operation(action: 'send' | 'receive', summary: string, names: readonly string[]): Part {
  return {
    action,
    summary,
    channel: { $ref: '#/channels/simulation' },
    messages: referenced(names),
  };
}

function referenced(names: readonly string[]): Part[] {
  return names.map((name) => ({ $ref: `#/channels/simulation/messages/${name}` }));
}

function referTo(names: readonly string[], from: string): Part {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/${from}/messages/${name}` }]));
}

type Direction = 'input' | 'output';

/** The JSON Schema of a message: of a client’s, as it writes it, so that members with a default are optional. */
export function payloadOf(schema: z.ZodType, io: Direction): Part {
  return toJsonSchema(schema, { target: 'draft-7', io });
}

function messagesOf(schemas: Readonly<Record<string, z.ZodType>>, io: Direction): Part {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const payload = payloadOf(schema, io);
      const examples = CONVERSATION.filter(({ message }) => message.action === name).map(
        ({ meaning, message }) => ({ summary: meaning, payload: message }),
      );
      const message = {
        name,
        summary: String(payload.description),
        contentType: 'application/json',
        correlationId: { location: `$message.payload#/${io === 'input' ? 'id' : 'reply_to'}` },
        payload,
        ...(examples.length > 0 ? { examples } : {}),
      };
      return [name, message];
    }),
  );
}

function closeCodes(): string {
  const codes = Object.entries(CLOSE_CODES).map(([code, meaning]) => `- ${code}: ${meaning}`);
  return ['The service closes a connection with', ...codes].join('\n');
}
