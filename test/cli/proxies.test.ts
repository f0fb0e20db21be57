import { createServer, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { describeProxies } from '../../pipeline/config/proxies.ts';
import { formatVerifierKey } from '../../pipeline/ledger/notes/note.ts';
import { runCli } from '../contract/commands/seam.ts';
import { LyingServer } from '../contract/lies/host.ts';
import { listenInTest } from '../listen.ts';
import { PUBLISHER, type Site, smallSite } from '../mirror/small-service.ts';
import { publishTiny } from '../release/publish-tiny.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { few, sweep } from '../setups/sweep.ts';

const KEY = ['--verifier-key', formatVerifierKey(PUBLISHER.verifier)];
/** A name that only the proxy knows. */
const ORIGIN = 'http://origin.invalid';

let site: Site;

beforeAll(() => {
  site = smallSite({ release: 1, manifest: (given) => ({ ...given, expires: '2099-01-01T00:00:00Z' }) });
});

/** A proxy that passes every request on to `to`, whatever host it names; null: it answers all with `status`, since it cannot reach that host. */
async function proxyTo(to: string | null, status = 502) {
  const asked: string[] = [];
  const proxy = createServer((incoming, outgoing) => {
    asked.push(`${incoming.method} ${new URL(incoming.url!).host}`);
    if (to === null) return outgoing.writeHead(status).end();
    const { pathname, search } = new URL(incoming.url!);
    const { method, headers } = incoming;
    const passed = request(
      `${to}${pathname}${search}`,
      { method: method!, headers },
      (answer: IncomingMessage) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
      },
    );
    return incoming.pipe(passed);
  });
  proxy.on('connect', ({ url }: IncomingMessage, socket: Duplex) => {
    asked.push(`CONNECT ${url}`);
    if (to === null) return socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const through = connect(Number(new URL(to).port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      through.pipe(socket).pipe(through);
    });
    return through;
  });
  const { port } = await listenInTest(proxy);
  return { asked, address: `127.0.0.1:${port}` };
}

describe('the proxy that the environment names', () => {
  test.each(
    few([
      ['http_proxy', (address: string) => `http://user:secret@${address}/`],
      ['HTTP_PROXY', (address: string) => `http://${address}`],
      ['http_proxy', (address: string) => address],
    ] as const),
  )('in %s serves a mirror whose origin only it can reach', async (name, write) => {
    const server = await LyingServer.start(site);
    onTestFinished(() => server.close());
    const { asked, address } = await proxyTo(server.url);
    const folder = join(await temporaryFolder(), 'mirror');
    const env = { [name]: write(address), NO_PROXY: 'other.invalid,.origin.example' };
    expect(await runCli(['mirror', ORIGIN, folder, ...KEY], env)).toMatchObject({ status: 0 });
    expect(new Set(asked)).toEqual(new Set(['GET origin.invalid']));
  });

  const BUCKET = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
  // Each asks again several times before it gives up.
  sweep.each([
    ['verify', ['verify', 'https://origin.invalid'], {}],
    ['prove', ['prove', 'a'.repeat(64), '--url', ORIGIN], {}],
    ['import', ['build', '--ledger', 'civic+https://origin.invalid', '--without-site', '--without-pdf'], {}],
    ['bucket', ['publish', '--to', 's3+https://origin.invalid/bucket'], BUCKET],
  ] as const)('is asked by %s, which says so if it does not help', async (what, args, more) => {
    const out = await temporaryFolder();
    if (what === 'bucket') await publishTiny(out, { events: 5 });
    const { asked, address } = await proxyTo(null);
    const env = {
      ...more,
      HTTP_PROXY: `http://u:secret@${address}`,
      HTTPS_PROXY: `http://u:secret@${address}`,
      CATHEDRAL_OUT: out,
    };
    const { status, stdout, stderr } = await runCli(args, env);
    expect(asked[0]).toMatch(/^(GET|CONNECT) origin\.invalid/);
    expect([status, stdout + stderr]).toEqual([
      ['import', 'bucket'].includes(what) ? 1 : 4,
      expect.stringContaining(`PROXY is http://${address}`),
    ]);
    expect(stdout + stderr).not.toContain('secret');
  });

  test.each(['http', 'https'])('is named if it asks for a password, over %s', async (scheme) => {
    const { asked, address } = await proxyTo(null, 407);
    const env = { HTTP_PROXY: address, HTTPS_PROXY: address };
    const { status, stdout } = await runCli(['verify', `${scheme}://origin.invalid`], env);
    expect(status).toBe(4);
    expect(stdout).toMatch(/found fetch failed: Proxy.*\(407\)/);
    expect(stdout).toContain(`PROXY is http://${address}`);
    // The next attempt would be the same.
    expect(asked).toHaveLength(1);
  });

  test.each([403, 407])(
    'is named at once if it does not let a command reach its bucket (%i)',
    async (code) => {
      const out = await temporaryFolder();
      await publishTiny(out, { events: 5 });
      const { asked, address } = await proxyTo(null, code);
      const env = { ...BUCKET, HTTPS_PROXY: address, CATHEDRAL_OUT: out };
      const { status, stderr } = await runCli(['publish', '--to', 's3+https://origin.invalid/bucket'], env);
      expect(status).toBe(1);
      expect(stderr).toMatch(
        /expected a proxy that lets requests to the store pass, found Failed to establish tunnel/,
      );
      expect(stderr).toContain(`HTTPS_PROXY is http://${address}`);
      expect(asked).toHaveLength(1);
    },
  );

  test('is not mentioned if an object store gives its own reason', () => {
    const message = (found: string) => `s3+https://origin.invalid/bucket: expected an answer, found ${found}`;
    expect(describeProxies(message('status 503 SlowDown: Reduce your rate.'))).toBeNull();
    expect(describeProxies(message('status 503 (store_failed)'))).toContain('no proxy is used');
  });

  test('is named if it may be what refuses a host, over plain HTTP', async () => {
    const { address } = await proxyTo(null, 403);
    const { status, stdout } = await runCli(['verify', ORIGIN], { HTTP_PROXY: address });
    expect(status).toBe(4);
    expect(stdout).toMatch(new RegExp(`found status 403 .*\\nHTTP_PROXY is http://${address}`));
  });

  test('is not asked about hosts in NO_PROXY', async () => {
    const server = await LyingServer.start(site);
    onTestFinished(() => server.close());
    const { asked, address } = await proxyTo(null);
    const env = { HTTP_PROXY: `http://${address}`, NO_PROXY: '127.0.0.1' };
    expect(await runCli(['verify', server.url, '--static', ...KEY], env)).toMatchObject({ status: 0 });
    expect(asked).toEqual([]);
  });
});
