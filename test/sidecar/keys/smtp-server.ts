import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { onTestFinished } from 'vitest';
import { SMTP_CERTIFICATE } from './smtp-certificate.ts';

interface Received {
  from: string;
  to: string[];
  /** Header and body as they came, line ends `\n`. */
  message: string;
  /** Whether the connection was encrypted. */
  secure: boolean;
  user: unknown;
}

export interface RunningServer {
  port: number;
  received: Received[];
}

/** A real mail server on this machine, which accepts everything that `options` does not refuse. */
export async function smtpServer(options: SMTPServerOptions = {}): Promise<RunningServer> {
  const received: Received[] = [];
  const server = new SMTPServer({
    ...SMTP_CERTIFICATE,
    authOptional: true,
    disableReverseLookup: true,
    closeTimeout: 100,
    async onData(stream, session, done) {
      const message = (await text(stream)).replaceAll('\r\n', '\n');
      const { mailFrom, rcptTo } = session.envelope;
      const from = mailFrom === false ? '' : mailFrom.address;
      const to = rcptTo.map(({ address }) => address);
      received.push({ from, to, message, secure: session.secure, user: session.user });
      done();
    },
    ...options,
  });
  // A client that hangs up in the middle is what some tests are about.
  server.on('error', () => undefined);
  onTestFinished(() => new Promise<void>((done) => server.close(() => done())));
  server.listen(0, '0.0.0.0');
  await once(server.server, 'listening');
  return { port: (server.server.address() as AddressInfo).port, received };
}
