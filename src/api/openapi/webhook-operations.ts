import { z } from 'zod';
import { WEBHOOK_TYPES, type WebhookType } from '../webhook-types.ts';
import { referToHeaders } from './headers.ts';
import { type Answer, type Operation, type Parameter, type PathOperation, toSchema } from './operation.ts';
import { type ProblemResponseName, problemsByStatus } from './responses.ts';

const TYPES = Object.keys(WEBHOOK_TYPES) as [WebhookType, ...WebhookType[]];
const types = z.array(z.enum(TYPES)).min(1);
const time = (description: string) => z.string().meta({ description: `${description}, UTC` });

/** A request for a subscription. */
export const NewWebhook = z.strictObject({
  url: z.string().meta({ description: 'Where to send to: https, a public host, no user name, no fragment' }),
  types: types.optional().meta({ description: 'What for; by default all types' }),
});

const Webhook = z.strictObject({
  id: z.string(),
  url: z.string(),
  types,
  status: z.enum(['active', 'disabled']),
  created_at: time('When it was made'),
  disabled_at: time('When it ended').nullable(),
  disabled_for: z.string().nullable().meta({ description: 'Why it ended' }),
});
const Made = Webhook.extend({
  secret: z.string().meta({ description: 'For verifying signatures. No other response has it.' }),
});
const Listed = z.strictObject({ webhooks: z.array(Webhook).meta({ description: 'Oldest first' }) });
const Sent = z.strictObject({ id: z.string().meta({ description: 'The webhook-id of the test' }) });
const Deliveries = z.strictObject({
  attempts: z
    .array(
      z.strictObject({
        event: z.string().meta({ description: 'The webhook-id' }),
        type: z.string(),
        at: time('When the request began'),
        status: z.int().nullable().meta({ description: 'Null if there was no response' }),
        duration_ms: z.int(),
        error: z.string().nullable().meta({ description: 'Null if it arrived' }),
      }),
    )
    .meta({ description: 'The newest hundred of the last thirty days, newest first' }),
  waiting: z
    .array(
      z.strictObject({
        event: z.string(),
        type: z.string(),
        failures: z.int(),
        next_at: time('When it is due'),
      }),
    )
    .meta({ description: 'What is still to be delivered' }),
});

const WEBHOOK = {
  id: 'w_8Jk2mQ4xRt7B',
  url: 'https://receiver.example.org/cathedral',
  types: ['release.published', 'alert.raised'] as WebhookType[],
  status: 'active' as const,
  created_at: '2025-12-01T05:58:12Z',
  disabled_at: null,
  disabled_for: null,
};
const EVENT = 'msg_0123456789abcdef0123456789abcdef';
const ATTEMPT = {
  event: EVENT,
  type: 'release.published',
  at: WEBHOOK.created_at,
  status: 500,
  duration_ms: 87,
};

/** Subscriptions, for holders of any key. */
export function webhookOperations(): PathOperation[] {
  return [
    [
      '/webhooks',
      operation(
        'createWebhook',
        'Make a webhook',
        ABOUT_CREATE,
        {
          '201': json('The subscription, with its secret.', Made, {
            ...WEBHOOK,
            secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
          }),
          ...problems('WebhookLimit', 'ContentTooLarge', 'UnsupportedMediaType', 'InvalidWebhook'),
        },
        {
          requestBody: {
            description: 'Where to send what to.',
            required: true,
            content: {
              'application/json': {
                schema: toSchema(NewWebhook),
                examples: {
                  example: { summary: 'Two types', value: { url: WEBHOOK.url, types: WEBHOOK.types } },
                },
              },
            },
          },
        },
      ),
      'post',
    ],
    [
      '/webhooks',
      operation(
        'listWebhooks',
        'List the webhooks of a key',
        'Also those made with keys that this one replaced.',
        {
          '200': json('The subscriptions.', Listed, { webhooks: [WEBHOOK] }),
          ...problems(),
        },
      ),
    ],
    [
      '/webhooks/{id}',
      operation(
        'getWebhook',
        'A webhook',
        'Without its secret.',
        {
          '200': json('The subscription.', Webhook, WEBHOOK),
          ...problems('NotFound'),
        },
        OF_ONE,
      ),
    ],
    [
      '/webhooks/{id}',
      operation(
        'deleteWebhook',
        'End a webhook',
        'Removes it with everything about it. Nothing is sent any more.',
        {
          '204': { description: 'It has ended.', headers: referToHeaders(['Cache-Control', 'X-Request-Id']) },
          ...problems('NotFound'),
        },
        OF_ONE,
      ),
      'delete',
    ],
    [
      '/webhooks/{id}/test',
      operation(
        'testWebhook',
        'Send a test',
        'An event of the type `webhook.test`, within seconds, like any other.',
        {
          '202': json('It will be sent.', Sent, { id: EVENT }),
          ...problems('NotFound', 'WebhookLimit', 'InvalidWebhook'),
        },
        OF_ONE,
      ),
      'post',
    ],
    [
      '/webhooks/{id}/deliveries',
      operation(
        'getWebhookDeliveries',
        'What was sent',
        'Each attempt, with what came of it, and what waits.',
        {
          '200': json('The log.', Deliveries, {
            attempts: [{ ...ATTEMPT, error: 'status 500: out of order' }],
            waiting: [{ event: EVENT, type: ATTEMPT.type, failures: 1, next_at: '2025-12-01T05:58:17Z' }],
          }),
          ...problems('NotFound'),
        },
        OF_ONE,
      ),
    ],
  ];
}

const ABOUT_CREATE = `The service first sends the receiver a request of the type \`webhook.challenge\`; the response to it must have status 200 and the text in \`data.challenge\`, as it is or as \`{"challenge": "…"}\`. Then the subscription is made, and the receiver gets signed requests as [Standard Webhooks](https://www.standardwebhooks.com/) describes. The page \`/webhooks/\` says how to verify them.

Types: ${Object.entries(WEBHOOK_TYPES)
  .map(([type, meaning]) => `\`${type}\` (${meaning.replace(/\.$/, '')})`)
  .join('; ')}.`;

const ID: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The id of the subscription.',
  schema: { type: 'string' },
  example: WEBHOOK.id,
};
const OF_ONE = { parameters: [ID] };

function operation(
  operationId: string,
  summary: string,
  description: string,
  responses: Operation['responses'],
  more: Partial<Operation> = {},
): Operation {
  return {
    operationId,
    tags: ['webhooks'],
    security: [{ key: [] }],
    summary,
    description,
    ...more,
    responses,
  };
}

function problems(...more: ProblemResponseName[]): Operation['responses'] {
  return problemsByStatus(['BadRequest', 'KeyRequired', 'MethodNotAllowed', 'Unavailable', ...more]);
}

function json(description: string, type: z.ZodType, value: unknown): Answer {
  const content = { schema: toSchema(type), examples: { example: { summary: 'Invented', value } } };
  return {
    description,
    headers: referToHeaders(['Cache-Control', 'X-Request-Id']),
    content: { 'application/json': content },
  };
}
