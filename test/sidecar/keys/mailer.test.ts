import { createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createMailer, type SmtpOptions } from '../../../src/sidecar/keys/mailer.ts';
import { listen } from '../../listen.ts';
import { failureOf } from '../../release/temporary-folder.ts';
import { SMTP_CERTIFICATE } from './smtp-certificate.ts';
import { smtpServer } from './smtp-server.ts';

const MAIL = { to: 'ada@institute.example', subject: 'A subject', text: 'Dear Ada,\n\nhello.\n' };
const FROM = 'Cathedral Data Service <keys@data.example.org>';
const KEY = 'cds_economy_0123456789ABCDEFGHIJKLMNOPQRST_2EmdzQ';

function mailer(port: number, options: Partial<SmtpOptions> = {}) {
  return createMailer({ url: `smtp://127.0.0.1:${port}`, from: FROM, ...options });
}

/** Not one of the addresses that are known to stay within this machine, and yet it does. */
const ELSEWHERE = '0.0.0.0';

/** A server that is none: it does with each connection what `treat` does. */
async function rawServer(treat: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    treat(socket);
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (await listen(server)).port;
}

describe('a mail', () => {
  test.each([
    { to: 'ada@institute.example\r\nBcc: all@institute.example' },
    { to: 'ada@institute.example, bo@institute.example' },
    { to: '"x" <ada@institute.example>' },
    { to: '' },
    { subject: 'A\r\nBcc: all@institute.example' },
    { subject: 'A\nX: y' },
    { subject: 'A\u2028X: y' },
    { subject: '' },
    { text: '' },
    { bcc: 'all@institute.example' },
  ])('with %j is refused before a connection is made', async (changes) => {
    const { port, received } = await smtpServer();
    const failure = await failureOf(() => mailer(port).send({ ...MAIL, ...changes }));
    expect(failure).toMatchObject({ code: 'mail_failed', place: expect.stringMatching(/^mail: /) });
    expect(received).toEqual([]);
  });
});

describe('a connection', () => {
  test('of smtps is encrypted from the start', async () => {
    const { port, received } = await smtpServer({ secure: true });
    const url = `smtps://127.0.0.1:${port}`;
    await mailer(port, { url, ca: SMTP_CERTIFICATE.cert }).send(MAIL);
    expect(received).toMatchObject([{ secure: true }]);
  });

  test('that leaves this machine is upgraded before anything is sent', async () => {
    const { port, received } = await smtpServer();
    await mailer(port, { url: `smtp://${ELSEWHERE}:${port}`, ca: SMTP_CERTIFICATE.cert }).send(MAIL);
    expect(received).toMatchObject([{ secure: true }]);
  });

  test('that leaves this machine and cannot be upgraded sends nothing', async () => {
    const users: unknown[] = [];
    const { port, received } = await smtpServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ username }, _session, done) => {
        users.push(username);
        done(null, { user: username });
      },
    });
    const url = `smtp://user:secret@${ELSEWHERE}:${port}`;
    const failure = await failureOf(() => mailer(port, { url }).send(MAIL));
    expect(failure).toMatchObject({ code: 'mail_failed', found: expect.stringMatching(/ETLS/) });
    expect([received, users]).toEqual([[], []]);
  });

  test.each(['smtp', 'smtps'])(
    'of %s to a server with an unknown certificate sends nothing',
    async (scheme) => {
      const { port, received } = await smtpServer({ secure: scheme === 'smtps' });
      const url = `${scheme}://${ELSEWHERE}:${port}`;
      const failure = await failureOf(() => mailer(port, { url }).send(MAIL));
      expect(failure).toMatchObject({ code: 'mail_failed', found: expect.stringMatching(/self-signed/) });
      expect(received).toEqual([]);
    },
  );

  test('logs in with the user and the password of the URL', async () => {
    const { port, received } = await smtpServer({
      authOptional: false,
      onAuth: ({ username, password }, _session, done) =>
        password === 'p@ss/word' ? done(null, { user: username }) : done(new Error('no')),
    });
    const url = `smtp://us%40er:p%40ss%2Fword@${ELSEWHERE}:${port}`;
    await mailer(port, { url, ca: SMTP_CERTIFICATE.cert }).send(MAIL);
    expect(received).toMatchObject([{ user: 'us@er' }]);
  });

  test('with a wrong password fails without repeating it', async () => {
    const { port } = await smtpServer({
      onAuth: ({ password }, _session, done) => done(new Error(`no such user ${password?.length}`)),
    });
    const url = `smtp://user:geheim@${ELSEWHERE}:${port}`;
    const failure = await failureOf(() => mailer(port, { url, ca: SMTP_CERTIFICATE.cert }).send(MAIL));
    expect(failure).toMatchObject({ code: 'mail_failed', found: expect.stringMatching(/EAUTH/) });
    expect(failure.message).not.toContain('geheim');
  });
});

describe('a mail server', () => {
  const refuseWith = (message: string, responseCode: number) =>
    Object.assign(new Error(message), { responseCode });

  test('that knows no such address fails the mail, with its answer', async () => {
    const { port, received } = await smtpServer({
      onRcptTo: (_address, _session, done) => done(refuseWith('No such user here', 550)),
    });
    const failure = await failureOf(() => mailer(port).send(MAIL));
    expect(failure).toMatchObject({
      code: 'mail_failed',
      place: 'mail to ada@institute.example',
      found: expect.stringMatching(/^550 No such user here.* \(EENVELOPE\)$/),
    });
    expect(received).toEqual([]);
  });

  test('that refuses the message and repeats the key in it gives nothing away', async () => {
    const { port } = await smtpServer({
      onData: (stream, _session, done) =>
        void stream
          .resume()
          .on('end', () => done(refuseWith(`spam: ${KEY} ${KEY.slice(0, 30)}\u001b[31m`, 554))),
    });
    const failure = await failureOf(() => mailer(port).send({ ...MAIL, text: KEY }));
    expect(failure.found).toMatch(/^554 spam: cds_economy_0123… cds_economy_0123…/);
    expect(JSON.stringify([failure, failure.message, failure.stack, failure.cause])).not.toContain(
      '0123456789',
    );
    expect(failure.found).toMatch(/^[\x20-\x7e…]+$/);
  });

  test('that hangs up after the message, without an answer, fails the mail', async () => {
    const answers = ['250 hello', '250 from', '250 to', '354 go on'];
    const port = await rawServer((socket) => {
      socket.write('220 ready\r\n');
      socket.on('data', (data) => {
        const answer = answers.shift();
        if (answer !== undefined) socket.write(`${answer}\r\n`);
        else if (data.includes('\r\n.\r\n')) socket.destroy();
      });
    });
    expect(await failureOf(() => mailer(port).send(MAIL))).toMatchObject({ code: 'mail_failed' });
  });

  test('that says nothing fails the mail after the time for that', async () => {
    const port = await rawServer(() => undefined);
    const failure = await failureOf(() => mailer(port, { idleTimeoutMs: 100 }).send(MAIL));
    expect(failure).toMatchObject({ code: 'mail_failed', found: expect.stringMatching(/ETIMEDOUT/) });
  });

  test('that never stops talking fails the mail after the time for the whole', async () => {
    const port = await rawServer((socket) => {
      socket.write('220 ready\r\n');
      socket.once('data', () => {
        const timer = setInterval(() => socket.write('250-hold the line\r\n'), 20);
        socket.on('close', () => clearInterval(timer));
      });
    });
    const failure = await failureOf(() =>
      mailer(port, { idleTimeoutMs: 600_000, totalTimeoutMs: 300 }).send(MAIL),
    );
    expect(failure).toMatchObject({ code: 'mail_failed', found: 'no answer in time' });
  });
});

describe('the sender', () => {
  test.each([
    '',
    'nobody',
    'A <b>',
    'A <a@b.example>, B <b@b.example>',
    'A\nB <a@b.example>',
    '"A" <a@b.example>',
  ])('%j is refused', (from) => {
    expect(() => createMailer({ url: 'smtp://localhost', from })).toThrow(/config_invalid/);
  });

  test.each(['keys@data.example.org', '<keys@data.example.org>', 'Dienst für Daten <keys@data.example.org>'])(
    '%j is taken',
    async (from) => {
      const { port, received } = await smtpServer();
      await mailer(port, { from }).send(MAIL);
      expect(received).toMatchObject([{ from: 'keys@data.example.org' }]);
    },
  );
});
