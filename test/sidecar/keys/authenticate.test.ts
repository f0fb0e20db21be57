import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Area } from '../../../pipeline/artifacts/artifact.ts';
import { DAY_MS } from '../../../pipeline/words/day.ts';
import { authenticate } from '../../../src/sidecar/keys/authenticate.ts';
import { issueKey } from '../../../src/sidecar/keys/issue-key.ts';
import { createKey } from '../../../src/sidecar/keys/key-text.ts';
import { refuseAnonymous } from '../../../src/sidecar/keys/refusal.ts';
import { revokeKey } from '../../../src/sidecar/keys/revoke-key.ts';
import { rotateKey } from '../../../src/sidecar/keys/rotate-key.ts';
import {
  ECONOMIST,
  GOVERNMENT,
  keyIn,
  NOW,
  type TinyKeyServices,
  tinyKeyServices,
} from './tiny-key-services.ts';

const UNKNOWN = 'cds_economy_0123456789ABCDEFGHIJKLMNOPQRST_2EmdzQ';
/** Looked at where the store must not be asked. */
const NO_STORE = {
  keyByHash: async () => {
    throw new Error('the store was asked');
  },
};

function ask({ store }: TinyKeyServices, key: string, area: Area | null, now: number, query = '') {
  return authenticate(store, { rawHeaders: ['Authorization', `Bearer ${key}`], query }, area, now);
}

function askWithout(rawHeaders: string[], query = '') {
  return authenticate(NO_STORE, { rawHeaders, query }, 'economy', NOW);
}

async function issue(
  services: TinyKeyServices,
  args: object,
): Promise<{ key: string; id: string; holder: string }> {
  const { key, record } = await issueKey(args, services);
  return { key: key!, id: record.id, holder: record.holder };
}

describe('a request with a good key', () => {
  test('is its holder’s, with the tier and the areas', async () => {
    const services = await tinyKeyServices();
    const { key, id, holder } = await issue(services, GOVERNMENT);
    expect(await ask(services, key, 'government', NOW)).toEqual({
      kind: 'key',
      keyId: id,
      holder,
      tier: 'government',
      areas: ['government'],
    });
  });

  test.each([
    ['authorization', 'bearer '],
    ['AUTHORIZATION', 'BEARER   '],
    ['Authorization', ' Bearer '],
  ])('in %s: %s is one too', async (name, scheme) => {
    const services = await tinyKeyServices();
    const { key } = await issue(services, ECONOMIST);
    const rawHeaders = ['Host', 'x', name, `${scheme}${key} `];
    expect(await authenticate(services.store, { rawHeaders, query: '' }, 'economy', NOW)).toMatchObject({
      kind: 'key',
    });
  });

  test('of another area is refused with 403, and says which areas the key has', async () => {
    const services = await tinyKeyServices();
    const { key, id, holder } = await issue(services, ECONOMIST);
    const detail = 'The key is valid for economy, not for government.';
    expect(await ask(services, key, 'government', NOW)).toEqual({
      kind: 'refusal',
      code: 'insufficient_scope',
      detail,
      headers: {
        'WWW-Authenticate': `Bearer realm="cathedral", error="insufficient_scope", error_description="${detail}", scope="government"`,
      },
      keyId: id,
      holder,
    });
  });

  test.each(['diplomacy', null] as const)('where there are no keys (%s) is anonymous', async (area) => {
    const services = await tinyKeyServices();
    const { key } = await issue(services, ECONOMIST);
    expect(await ask(services, key, area, NOW)).toEqual({ kind: 'anonymous' });
  });

  test('in several areas is good in each of them', async () => {
    const services = await tinyKeyServices();
    const { key } = await issue(services, {
      ...ECONOMIST,
      tier: 'institutional',
      areas: 'philosophy,economy',
    });
    expect(await ask(services, key, 'economy', NOW)).toMatchObject({ areas: ['economy', 'philosophy'] });
    expect(await ask(services, key, 'philosophy', NOW)).toMatchObject({ kind: 'key' });
    expect(await ask(services, key, 'academics', NOW)).toMatchObject({ code: 'insufficient_scope' });
  });
});

describe('a request with a bad key', () => {
  const invalid = (detail: string) => ({
    kind: 'refusal',
    code: 'invalid_token',
    detail,
    headers: {
      'WWW-Authenticate': `Bearer realm="cathedral", error="invalid_token", error_description="${detail}"`,
    },
  });

  test.each([UNKNOWN.replace(/.$/, 'R'), 'x', 'null', '<API_KEY>', `${UNKNOWN}=`, 'x'.repeat(10_000)])(
    'is refused without a look in the store: %.20s',
    async (key) => {
      expect(await askWithout(['Authorization', `Bearer ${key}`])).toMatchObject(
        invalid('The key is mistyped or cut short: its checksum does not match.'),
      );
    },
  );

  test.each(['economy', 'diplomacy', null] as const)('is refused on public paths too (%s)', async (area) => {
    const services = await tinyKeyServices();
    const unknown = { ...invalid('This key was never issued.'), keyId: null, holder: null };
    expect(await ask(services, UNKNOWN, area, NOW)).toEqual(unknown);
  });

  test('that ended is refused from the very instant', async () => {
    const services = await tinyKeyServices();
    const { key, id } = await issue(services, GOVERNMENT);
    const end = NOW + 92 * DAY_MS;
    expect(await ask(services, key, 'government', end - 1)).toMatchObject({ kind: 'key' });
    expect(await ask(services, key, 'government', end)).toMatchObject({
      ...invalid('The key expired on 2026-06-02T09:00:00Z.'),
      keyId: id,
    });
  });

  test('that was revoked is refused from the next request on', async () => {
    const services = await tinyKeyServices();
    const { key, id, holder } = await issue(services, ECONOMIST);
    expect(await ask(services, key, 'economy', NOW)).toMatchObject({ kind: 'key' });
    await revokeKey({ id, reason: 'lost' }, services);
    const refused = { ...invalid('The key was revoked on 2026-03-02T09:00:00Z.'), keyId: id, holder };
    expect(await ask(services, key, 'economy', NOW)).toEqual(refused);
    // A clock that is behind changes nothing.
    expect(await ask(services, key, 'economy', NOW - DAY_MS)).toEqual(refused);
  });
});

describe('a key whose mail is on its way', () => {
  test('is good only after the mail was accepted', async () => {
    const answers: unknown[] = [];
    const services: TinyKeyServices = await tinyKeyServices(async (mail) => {
      answers.push(await ask(services, keyIn(mail), 'economy', NOW));
    });
    await issueKey({ ...ECONOMIST, deliver: 'mail' }, services);
    answers.push(await ask(services, keyIn(services.mails[0]!), 'economy', NOW));
    expect(answers).toMatchObject([
      { code: 'invalid_token', detail: 'This key was never issued.', keyId: null },
      { kind: 'key' },
    ]);
  });
});

describe('a rotated key', () => {
  test('is good beside the new one for 14 days, and both are one holder’s', async () => {
    const services = await tinyKeyServices();
    const first = await issue(services, ECONOMIST);
    services.clock.now += 5 * DAY_MS;
    const { key: second } = await rotateKey({ id: first.id, deliver: 'print' }, services);
    const end = NOW + 19 * DAY_MS;
    for (const key of [first.key, second!]) {
      expect(await ask(services, key, 'economy', end - 1)).toMatchObject({
        kind: 'key',
        holder: first.holder,
      });
    }
    expect(await ask(services, first.key, 'economy', end)).toMatchObject({ code: 'invalid_token' });
    expect(await ask(services, second!, 'economy', end)).toMatchObject({ kind: 'key' });
  });
});

describe('a request without a key', () => {
  test('is anonymous', async () => {
    expect(await askWithout([])).toEqual({ kind: 'anonymous' });
    expect(await askWithout(['Proxy-Authorization', 'Bearer x', 'X', 'authorization'])).toEqual({
      kind: 'anonymous',
    });
  });

  test('gets a challenge without an error code where a key is needed', () => {
    expect(refuseAnonymous()).toMatchObject({
      code: 'key_required',
      headers: { 'WWW-Authenticate': 'Bearer realm="cathedral"' },
    });
  });
});

describe('an Authorization header', () => {
  test.each([
    'Basic dXNlcjpwYXNz',
    `Token ${UNKNOWN}`,
    UNKNOWN,
    `Bearer:${UNKNOWN}`,
    `Bearer\t${UNKNOWN}`,
    '',
    '=',
  ])('of another scheme is refused with a bare challenge: %s', async (value) => {
    expect(await askWithout(['Authorization', value])).toMatchObject({
      code: 'unknown_scheme',
      headers: { 'WWW-Authenticate': 'Bearer realm="cathedral"' },
    });
  });

  test.each(['Bearer', 'Bearer ', `Bearer ${UNKNOWN} ${UNKNOWN}`, `Bearer ${UNKNOWN},${UNKNOWN}`])(
    'without exactly one key is refused: %s',
    async (value) => {
      expect(await askWithout(['Authorization', value])).toMatchObject({
        code: 'invalid_authorization',
        headers: { 'WWW-Authenticate': expect.stringContaining('error="invalid_request"') },
      });
    },
  );

  test('is refused where it is there twice, the same key too', async () => {
    const value = `Bearer ${UNKNOWN}`;
    expect(await askWithout(['Authorization', value, 'authorization', value])).toMatchObject({
      code: 'invalid_authorization',
    });
  });

  test('is found twice in what node:http hands on', async () => {
    let seen: readonly string[] = [];
    const server = createServer((incoming, answer) => {
      seen = incoming.rawHeaders;
      answer.end();
    });
    onTestFinished(() => void server.close());
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    const headers = { authorization: [`Bearer ${UNKNOWN}`, 'Bearer x'] as unknown as string };
    await new Promise((done) =>
      request({ port, headers, agent: false }, (got) => got.resume().on('end', done)).end(),
    );
    expect(await authenticate(NO_STORE, { rawHeaders: seen, query: '' }, null, NOW)).toMatchObject({
      code: 'invalid_authorization',
    });
  });
});

describe('a key in an address', () => {
  test.each([
    `access_token=${UNKNOWN}`,
    'access_token=x',
    'ACCESS_TOKEN=',
    'api_key=x',
    'from=2026-01-01&api-key=x',
    'apikey',
    '%61pi_key=x',
    `token=${UNKNOWN}`,
    `filter=agent==${UNKNOWN}`,
    UNKNOWN,
    `x=${UNKNOWN.replace('cds', '%63ds')}`,
  ])('is refused, wherever it stands: %s', async (query) => {
    expect(await askWithout([], query)).toMatchObject({ code: 'key_in_query', keyId: null });
  });

  test('is refused beside a good one in the header', async () => {
    const services = await tinyKeyServices();
    const { key } = await issue(services, ECONOMIST);
    expect(await ask(services, key, 'economy', NOW, `access_token=${key}`)).toMatchObject({
      code: 'key_in_query',
    });
  });

  test.each([
    'from=2026-01-01&to=2026-02-01&format=csv',
    'filter=event_type==mic_mint',
    'keys=1',
    '%',
    '&&=',
  ])('is not seen where there is none: %s', async (query) => {
    expect(await askWithout([], query)).toEqual({ kind: 'anonymous' });
  });
});

test('no refusal repeats what was sent', async () => {
  const services = await tinyKeyServices();
  const key = createKey('economy', services.randomBytes);
  const { key: known } = await issue(services, ECONOMIST);
  const answers = [
    await ask(services, key, 'economy', NOW),
    await ask(services, known, 'government', NOW),
    await ask(services, `${known}x`, 'economy', NOW),
    await ask(services, known, 'economy', NOW, `api_key=${known}`),
    await authenticate(services.store, { rawHeaders: ['authorization', known], query: '' }, 'economy', NOW),
  ];
  for (const answer of answers) {
    expect(answer.kind).toBe('refusal');
    for (const secret of [key, known]) expect(JSON.stringify(answer)).not.toContain(secret.slice(12, 30));
  }
});
