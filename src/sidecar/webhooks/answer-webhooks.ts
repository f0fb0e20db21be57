import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { schemaFault } from '../../../pipeline/artifacts/format/schema-fault.ts';
import { formatTimestamp } from '../../../pipeline/words/moment.ts';
import { WEBHOOKS_PATH } from '../../api/paths.ts';
import { Problem } from '../../api/problem.ts';
import { WEBHOOK_TYPES, type WebhookType } from '../../api/webhook-types.ts';
import { ownAnswer } from '../attestations/answer-verify.ts';
import { readBody } from '../attestations/read-body.ts';
import { authenticate, findPresentedKey } from '../keys/authenticate.ts';
import { newId } from '../keys/base62.ts';
import { type Refusal, refuseAnonymous } from '../keys/refusal.ts';
import { enterLoadGate } from '../request/admit.ts';
import type { Answer } from '../request/answer.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { Services, WebhookServices } from '../services.ts';
import { ownersOf } from './dispatcher.ts';
import { event } from './events.ts';
import { isDelivered, newSecret, refuseUrl, sendWebhook } from './send-webhook.ts';
import { type LoggedAttempt, WEBHOOK_LIMITS, type Webhook } from './webhook.ts';
import type { Waiting } from './webhook-store.ts';

const BODY_LIMITS = { maxBytes: 8192, timeoutMs: 10_000 };
const TYPES = Object.keys(WEBHOOK_TYPES) as [WebhookType, ...WebhookType[]];
/** In the answer to a request for the log. */
const MOST_ATTEMPTS = 100;

const Asked = z.strictObject({
  url: z.string(),
  types: z.array(z.enum(TYPES)).min(1).default(TYPES),
});

/** A request by the holder of a valid key. */
interface Call {
  context: RequestContext;
  services: Services;
  webhooks: WebhookServices;
  keyId: string;
  /** The keys whose subscriptions this one may use. */
  owners: readonly string[];
  now: number;
}

/** Answers below `/webhooks`, to whoever has a valid key of any area. Throws a Problem. */
export async function answerWebhooks(
  context: RequestContext,
  services: Services,
  now: number,
): Promise<Answer> {
  const { webhooks, keys } = services;
  if (!webhooks) throw new Problem('not_found', 'This server has no webhooks.');
  const { rawHeaders } = context.request;
  const credentials = { rawHeaders, query: context.query };
  const who = await authenticate(keys, credentials, null, now);
  if (who.kind === 'refusal') throw refused(context, who);
  const key = await findPresentedKey(keys, credentials);
  if (key === null) throw refused(context, refuseAnonymous());
  context.keyId = key.id;
  context.holder = key.holder;
  if (context.query) throw new Problem('unknown_parameter', 'This path takes no parameters.');
  const call = {
    context,
    services,
    webhooks,
    keyId: key.id,
    owners: await ownersOf(webhooks.keys, key),
    now,
  };
  const [, id, what] = WEBHOOKS_PATH.exec(context.path!)!;
  const { method } = context.request;
  if (id === undefined) return method === 'POST' ? create(call) : list(call);
  enterLoadGate(context, services);
  const webhook = (await webhooks.store.of(call.owners)).find((one) => one.id === id);
  if (!webhook) throw new Problem('not_found', 'This key has no subscription with this id.');
  if (what === 'deliveries') return deliveries(call, webhook);
  if (what === 'test') return test(call, webhook);
  if (method !== 'DELETE') return ownAnswer(describeWebhook(webhook));
  await webhooks.store.remove(webhook.id);
  return {
    status: 204,
    headers: { 'Cache-Control': 'no-store', 'Access-Control-Allow-Origin': '*' },
    body: null,
  };
}

function refused(context: RequestContext, { code, detail, headers, keyId, holder }: Refusal): Problem {
  context.keyId = keyId;
  context.holder = holder;
  return new Problem(code, detail, headers);
}

async function list({ context, services, webhooks, owners }: Call): Promise<Answer> {
  enterLoadGate(context, services);
  return ownAnswer({ webhooks: (await webhooks.store.of(owners)).map(describeWebhook) });
}

/** Makes a subscription for a receiver that has answered its challenge. The only answer with the secret. */
async function create({ context, services, webhooks, keyId, owners, now }: Call): Promise<Answer> {
  const { store, allowPrivate } = webhooks;
  const body = await readBody(context.request, context.response, BODY_LIMITS);
  context.bodyRead = true;
  enterLoadGate(context, services);
  const { url, types } = parseAsked(body);
  const fault = refuseUrl(url, allowPrivate);
  if (fault !== null) throw new Problem('invalid_webhook', `The member url: ${fault}.`);
  const { perKey, challengesPerDay } = WEBHOOK_LIMITS;
  if ((await store.of(owners)).length >= perKey) throw tooMany();
  if (!(await store.countChallenge(keyId, now, challengesPerDay)))
    throw new Problem(
      'webhook_limit',
      `A key may have ${challengesPerDay} receivers challenged in 24 hours.`,
      {
        'Retry-After': '3600',
      },
    );
  const secret = newSecret(randomBytes);
  await challenge(url, secret, webhooks, services);
  const webhook: Webhook = {
    id: newId('w', randomBytes),
    keyId,
    url,
    types: [...new Set(types)],
    secret,
    createdAt: now,
    disabledAt: null,
    disabledFor: null,
  };
  if ((await store.add(webhook, owners, perKey)) === 'too_many') throw tooMany();
  const answer = ownAnswer({ ...describeWebhook(webhook), secret });
  return { ...answer, status: 201, headers: { ...answer.headers, Location: `/webhooks/${webhook.id}` } };
}

function parseAsked(body: Buffer): z.output<typeof Asked> {
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch {
    throw new Problem('invalid_webhook', 'The body is not JSON.');
  }
  const parsed = Asked.safeParse(value);
  if (parsed.success) return parsed.data;
  const { place, expected, found } = schemaFault('The body', parsed.error, value);
  throw new Problem('invalid_webhook', `${place}: expected ${expected}, found ${found}.`);
}

function tooMany(): Problem {
  const { perKey } = WEBHOOK_LIMITS;
  return new Problem(
    'webhook_limit',
    `A key may have ${perKey} subscriptions. Delete one before you make another.`,
  );
}

/** Asks the receiver to repeat a random text, so that nobody can have requests sent to a host that does not expect them. */
async function challenge(
  url: string,
  secret: string,
  webhooks: WebhookServices,
  { now }: Pick<Services, 'now'>,
): Promise<void> {
  const text = randomBytes(24).toString('base64url');
  const timestamp = formatTimestamp(now());
  const body = JSON.stringify({ type: 'webhook.challenge', timestamp, data: { challenge: text } });
  const id = `msg_${randomBytes(16).toString('hex')}`;
  const received = await sendWebhook({ url, secret, id, body }, { ...webhooks, now });
  if (isDelivered(received) && repeats(received.text, text)) return;
  const found = received.error ?? 'a response without it';
  throw new Problem(
    'invalid_webhook',
    `The receiver has to answer the challenge with status 200 and the member challenge of data, as text or as {"challenge": "…"}; found ${found}.`,
  );
}

/** An echo of the whole request does not prove that the receiver knows what it answers. */
function repeats(text: string, challenge: string): boolean {
  if (text.trim() === challenge) return true;
  try {
    return JSON.parse(text).challenge === challenge;
  } catch {
    return false;
  }
}

/** A test goes the way of every other delivery, so it also shows whether that works. */
async function test({ webhooks, now }: Call, { id, disabledAt }: Webhook): Promise<Answer> {
  if (disabledAt !== null)
    throw new Problem('invalid_webhook', 'The subscription has ended. Make a new one.');
  const of = randomBytes(16).toString('hex');
  const sent = event('webhook.test', of, formatTimestamp(now), { webhook: id });
  if (!(await webhooks.store.addTest(id, sent, now)))
    throw new Problem('webhook_limit', 'A test of this subscription is on its way already.');
  return { ...ownAnswer({ id: sent.id }), status: 202 };
}

async function deliveries({ webhooks }: Call, { id }: Webhook): Promise<Answer> {
  const { attempts, waiting } = await webhooks.store.log(id, MOST_ATTEMPTS);
  return ownAnswer({ attempts: attempts.map(describeAttempt), waiting: waiting.map(describeWaiting) });
}

/** As lists show it: without the secret, which nobody can ask for again. */
export function describeWebhook({ id, url, types, createdAt, disabledAt, disabledFor }: Webhook) {
  return {
    id,
    url,
    types,
    status: disabledAt === null ? 'active' : 'disabled',
    created_at: formatTimestamp(createdAt),
    disabled_at: disabledAt === null ? null : formatTimestamp(disabledAt),
    disabled_for: disabledFor,
  };
}

function describeAttempt({ event, type, at, status, ms, error }: LoggedAttempt) {
  return { event, type, at: formatTimestamp(at), status, duration_ms: ms, error };
}

function describeWaiting({ event, type, failures, nextAt }: Waiting) {
  return { event, type, failures, next_at: formatTimestamp(nextAt) };
}
