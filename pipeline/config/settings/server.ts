import { isIP } from 'node:net';
import { z } from 'zod';
import { numbers, settings, text } from '../setting.ts';

/** `10.0.0.7,2001:db8::/32` */
const networks = text
  .transform((list) => list.split(',').map((item) => item.trim()))
  .refine((list) => list.length <= 100 && list.every(isNetwork));

export const SERVER = settings('Server', {
  host: {
    default: 'localhost',
    unit: 'a host name or an address of this machine',
    description:
      'The address to listen on. The default accepts connections from this machine only, at 127.0.0.1 where it has IPv4, as behind a reverse proxy; 0.0.0.0 or :: accepts them from everywhere.',
  },
  port: {
    env: 'PORT',
    default: '8080',
    ...numbers('a TCP port', 0, 65_535),
    description:
      'The port to listen on; 0 takes a free one. `npm start` honours it too: PORT=9000 npm start. The default of --base-url contains it.',
  },
  trustedProxies: {
    unit: 'addresses or networks, separated by commas: 127.0.0.1,10.0.0.0/8',
    description:
      'Reverse proxies whose X-Forwarded-For and X-Forwarded-Proto headers the server believes. By default it ignores these headers, because clients could forge their address.',
    schema: networks,
  },
  requestTimeout: {
    default: '30',
    ...numbers('seconds', 1, 600),
    description: 'How long a request and its headers may take to arrive. A slower one gets 408.',
  },
  keepAlive: {
    default: '65',
    ...numbers('seconds', 1, 3_600),
    description:
      'How long an idle connection stays open. The default is longer than the 60 s of most reverse proxies, so that the proxy closes it.',
  },
  cacheTagHeader: {
    unit: 'the name of a header: Cache-Tag, Surrogate-Key, CDN-Tag, xkey, …',
    description:
      'Marks the responses that a new release replaces with the tag cathedral-release, in the header that your CDN reads, so that one purge request makes it forget them.',
    schema: text.regex(/^[A-Za-z0-9-]+$/),
  },
  drain: {
    default: '0',
    ...numbers('seconds', 0, 3_600),
    description:
      'How long the server keeps accepting requests when the service stops, while /readyz says 503. Behind a load balancer, at least the time that it takes to notice; without one, 0.',
  },
  grace: {
    default: '10',
    ...numbers('seconds', 0, 3_600),
    description: 'How long answers in progress may take when the service stops. Then they are cut off.',
  },
  logLevel: {
    default: 'warn',
    unit: 'one of debug, info, warn, error',
    description:
      'What the server logs to standard error, one JSON object per line. Level info logs every request, without addresses and keys.',
    schema: z.enum(['debug', 'info', 'warn', 'error']),
  },
  maxConnections: {
    group: 'Limits',
    default: '10000',
    description: 'Open connections. The server closes further ones. An idle connection costs a few kB.',
    ...numbers('a whole number', 1, 1_000_000),
  },
  maxActive: {
    group: 'Limits',
    default: '4000',
    description:
      'Concurrent requests above which load is high. The threshold is 1.5 times as high for requests with a key, and twice as high for government keys. Most requests wait for the network and cost tens of kB. One client may use a quarter of them for large files.',
    ...numbers('a whole number', 1, 1_000_000),
  },
});

function isNetwork(item: string): boolean {
  const [host = '', prefix] = item.split('/');
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(host)] ?? 0;
  return bits > 0 && (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits));
}
