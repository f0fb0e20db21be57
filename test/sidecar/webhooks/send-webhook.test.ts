import type { lookup } from 'node:dns';
import { describe, expect, test } from 'vitest';
import { isPublicAddress, publicLookup } from '../../../src/sidecar/webhooks/public-address.ts';
import {
  refuseUrl,
  type SendOptions,
  sendWebhook,
  signWebhook,
} from '../../../src/sidecar/webhooks/send-webhook.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const NOW = Date.UTC(2026, 2, 2, 9);
const SLOW_MS = 300;

function send({ url, secret }: Pick<Receiver, 'url' | 'secret'>, options: Partial<SendOptions> = {}) {
  const message = { url, secret, id: 'msg_1', body: '{"type":"release.published"}' };
  return sendWebhook(message, { allowPrivate: true, now: () => NOW, ...options });
}

test('a signature is that of the example in the specification', () => {
  const body = '{"test": 2432232314}';
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  expect(signWebhook(secret, 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, body)).toBe(
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  );
});

test('a request is signed, and delivered with any status of 2xx', async () => {
  const receiver = await startReceiver((_, response) => void response.writeHead(204).end());
  expect(await send(receiver)).toMatchObject({ at: NOW, status: 204, error: null });
  expect(receiver.heard).toEqual([
    { id: 'msg_1', type: 'release.published', body: '{"type":"release.published"}', isSigned: true },
  ]);
});

describe('a receiver that', () => {
  test('fails is quoted, without what a terminal would act on', async () => {
    const receiver = await startReceiver(
      (_, response) => void response.writeHead(500).end('out\u001b[2J\u202eof order'),
    );
    expect(await send(receiver)).toMatchObject({ status: 500, error: 'status 500: out [2J of order' });
  });

  test('refuses the connection', async () => {
    expect((await send({ url: 'http://127.0.0.1:9/', secret: 'whsec_AAAA' })).error).toMatch(/ECONNREFUSED/);
  });

  test('never answers, or one byte at a time, is left after the time-out', async () => {
    const silent = await startReceiver(() => undefined);
    const failure = { status: null, error: 'no response in time' };
    expect(await send(silent, { timeoutMs: SLOW_MS })).toMatchObject(failure);
    const dripping = await startReceiver((_, { socket }) => {
      const timer = setInterval(() => socket?.write('H'), 10);
      socket!.once('close', () => clearInterval(timer));
    });
    expect((await send(dripping, { timeoutMs: SLOW_MS })).status).toBeNull();
    const slowBody = await startReceiver((_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'), 10);
      response.once('close', () => clearInterval(timer));
    });
    // It has said that it has the event; on a busy machine that takes a while.
    expect(await send(slowBody, { timeoutMs: 10 * SLOW_MS })).toMatchObject({ status: 200, error: null });
  });

  test('closes halfway has received it if its status had arrived', async () => {
    const early = await startReceiver((_, { socket }) => void socket!.destroy());
    expect((await send(early)).error).toMatch(/hang up|ECONNRESET/);
    const late = await startReceiver((_, response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('half', () => response.destroy());
    });
    expect(await send(late)).toMatchObject({ status: 200, error: null });
  });

  test('returns a gigabyte is read for four kilobytes', async () => {
    let written = 0;
    const receiver = await startReceiver((_, response) => {
      const piece = Buffer.alloc(65_536, 'x');
      const more = () => {
        while (!response.destroyed && written < 2 ** 30) {
          written += piece.length;
          if (!response.write(piece)) return void response.once('drain', more);
        }
      };
      response.writeHead(500);
      more();
    });
    const { status, text, error } = await send(receiver);
    expect([status, text.length, error?.length]).toEqual([500, 4096, 200]);
    expect(written).toBeLessThan(2 ** 26);
  });

  test('redirects is not followed', async () => {
    const elsewhere = await startReceiver();
    const receiver = await startReceiver((_, response) => {
      response.writeHead(302, { Location: elsewhere.url }).end();
    });
    expect((await send(receiver)).error).toBe('status 302: redirects are not followed');
    expect(elsewhere.heard).toEqual([]);
  });
});

describe('an address', () => {
  test.each([
    ['http://example.org/', 'https'],
    ['ftp://example.org/', 'https'],
    ['not a url', 'absolute'],
    ['https://', 'absolute'],
    ['https://ada:secret@example.org/', 'user name'],
    ['https://example.org/#a', 'fragment'],
    ['https://127.0.0.1/', 'public'],
    ['https://0x7f.1/', 'public'],
    ['https://2130706433/', 'public'],
    ['https://10.1.2.3/', 'public'],
    ['https://169.254.169.254/latest/meta-data', 'public'],
    ['https://100.64.0.1/', 'public'],
    ['https://[::1]/', 'public'],
    ['https://[::ffff:8.8.8.8]/', 'public'],
    ['https://[64:ff9b::808:808]/', 'public'],
    ['https://[fe80::1]/', 'public'],
    ['https://[fd00::1]/', 'public'],
    [`https://example.org/${'x'.repeat(2000)}`, '2000'],
  ])('%s is refused', (url, why) => {
    expect(refuseUrl(url, false)).toContain(why);
  });

  test('of the internet is accepted, and with private receivers also others', () => {
    expect(refuseUrl('https://example.org:8443/a?b=c', false)).toBeNull();
    expect(refuseUrl('https://[2606:2800:220:1::1]/', false)).toBeNull();
    expect(refuseUrl('http://127.0.0.1:8080/', true)).toBeNull();
    expect(['8.8.8.8', '2a00:1450::1'].map(isPublicAddress)).toEqual([true, true]);
    expect(
      ['224.0.0.1', '255.255.255.255', '0.0.0.0', '198.18.0.1', '2002:7f00:1::', 'ff02::1', 'x'].map(
        isPublicAddress,
      ),
    ).not.toContain(true);
  });

  test('is checked when it is connected to: a name that leads to a private one gets no connection', async () => {
    const receiver = await startReceiver();
    const { port } = new URL(receiver.url);
    const found = await send(
      { url: `https://localhost:${port}/`, secret: 'whsec_AAAA' },
      { allowPrivate: false },
    );
    expect(found).toMatchObject({
      status: null,
      error: expect.stringContaining('not on the public internet'),
    });
    expect(receiver.heard).toEqual([]);
  });

  test('is looked up once, so that a name cannot lead elsewhere after the check', async () => {
    const asked: string[] = [];
    const answers = [[{ address: '8.8.8.8', family: 4 }], [{ address: '127.0.0.1', family: 4 }]];
    const system = ((name: string, _: unknown, callback: (error: null, found: unknown) => void) => {
      asked.push(name);
      callback(null, answers[asked.length - 1]);
    }) as unknown as typeof lookup;
    const look = (all: boolean) =>
      new Promise((resolve, reject) =>
        publicLookup(system)('rebinding.example', { all }, (error, found) =>
          error ? reject(error) : resolve(found),
        ),
      );
    // What is given to the connection is what was checked.
    expect(await look(false)).toBe('8.8.8.8');
    await expect(look(true)).rejects.toThrow('not on the public internet');
    answers.push([
      { address: '8.8.8.8', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ]);
    await expect(look(true)).rejects.toThrow('not on the public internet');
    expect(asked).toHaveLength(3);
  });
});
