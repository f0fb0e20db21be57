import type { z } from 'zod';
import type { Organisation } from '../../../pipeline/artifacts/documents/organisation.ts';
import { toJsonSchema } from '../../../pipeline/ledger/events/json-schema.ts';
import { CLIENT_MESSAGES } from './client-message.ts';
import { CLIENT_EXAMPLES, serverExamples } from './examples.ts';
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
        messages: referTo([...Object.keys(CLIENT_MESSAGES), ...Object.keys(SERVER_MESSAGES)]),
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
      tell: operation(
        'send',
        'What answers no message: the update of a tick, and the error before the service closes a connection.',
        ['simulation_update', 'simulation_error'],
      ),
    },
    components: {
      messages: Object.fromEntries(describeMessages().map((message) => [message.name, documented(message)])),
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

function referTo(names: readonly string[]): Part {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }]));
}

/** The JSON Schema of a message: of a client’s, as it writes it, so that members with a default are optional. */
function payloadOf(schema: z.ZodType, io: 'input' | 'output'): Part {
  return toJsonSchema(schema, { target: 'draft-7', io });
}

interface DescribedMessage {
  name: string;
  by: 'client' | 'service';
  payload: Part;
  examples: readonly { summary: string; payload: object }[];
}

/** Every message with its schema and its examples, those of clients first. */
export function describeMessages(): DescribedMessage[] {
  const answers = serverExamples();
  return [
    ...Object.entries(CLIENT_MESSAGES).map(([name, schema]): DescribedMessage => {
      const own = CLIENT_EXAMPLES.filter(({ message }) => message.action === name);
      const examples = own.map(({ meaning, message }) => ({ summary: meaning, payload: message }));
      return { name, by: 'client', payload: payloadOf(schema, 'input'), examples };
    }),
    ...Object.entries(SERVER_MESSAGES).map(([name, schema]): DescribedMessage => {
      const payload = answers[name as keyof typeof answers];
      const examples = [{ summary: 'As the service sends it.', payload }];
      return { name, by: 'service', payload: payloadOf(schema, 'output'), examples };
    }),
  ];
}

function documented({ name, by, payload, examples }: DescribedMessage): Part {
  return {
    name,
    summary: String(payload.description),
    contentType: 'application/json',
    correlationId: { location: `$message.payload#/${by === 'client' ? 'id' : 'reply_to'}` },
    payload,
    examples,
  };
}

function closeCodes(): string {
  const codes = Object.entries(CLOSE_CODES).map(([code, meaning]) => `- ${code}: ${meaning}`);
  return ['The service closes a connection with', ...codes].join('\n');
}
