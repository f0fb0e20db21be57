import { spawn, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sendWebhook, signWebhook } from '../../../src/sidecar/webhooks/send-webhook.ts';
import { NODE, PYTHON, SHELL } from '../../../src/site/components/webhooks/receivers.ts';
import { freePort } from '../../engines/free-port.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';
import { until } from '../live/until.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const has = (program: string, ask = '--version') => spawnSync(program, [ask]).status === 0;

/** What a receiver answers to a request with a body, signed with a secret at a time. */
async function startReceiver(program: string, name: string, text: string) {
  const file = join(await temporaryFolder(), name);
  await writeFile(file, text);
  const port = await freePort();
  const env = { ...process.env, PORT: String(port), WEBHOOK_SECRET: SECRET };
  const child = spawn(program, [file], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  child.stdout.on('data', (chunk) => (printed += chunk));
  const ask = async (body: object, { secret = SECRET, now = Date.now() } = {}) => {
    const message = { url: `http://127.0.0.1:${port}/`, secret, id: 'msg_1', body: JSON.stringify(body) };
    for (;;) {
      const received = await sendWebhook(message, { allowPrivate: true, now: () => now });
      // It has not begun to listen.
      if (!received.error?.includes('ECONNREFUSED')) return received;
      await sleep(20);
    }
  };
  return { ask, printed: () => printed };
}

describe.each([
  ['Python', 'python3', 'receiver.py', PYTHON],
  ['Node.js', process.execPath, 'receiver.mjs', NODE],
])('the receiver in %s', (_, program, name, text) => {
  test.skipIf(!has(program))(
    'answers the challenge, accepts what is genuine and refuses the rest',
    async () => {
      const { ask, printed } = await startReceiver(program, name, text);
      const challenge = { type: 'webhook.challenge', data: { challenge: 'Zm9v' } };
      expect(await ask(challenge, { secret: 'whsec_AAAA' })).toMatchObject({ status: 200, text: 'Zm9v' });
      const event = { type: 'release.published', data: { release: 'Zürich' } };
      expect((await ask(event)).status).toBe(204);
      expect((await ask(event, { secret: 'whsec_AAAA' })).status).toBe(401);
      expect((await ask(event, { now: Date.now() - 600_000 })).status).toBe(401);
      await until(() => printed().includes('release.published'));
    },
  );
});

test.skipIf(!has('openssl', 'version'))(
  'the shell script tells a genuine request from a forged one',
  async () => {
    const cwd = await temporaryFolder();
    const body = '{"type":"release.published"}';
    await writeFile(join(cwd, 'body.json'), body);
    const verify = (signature: string) => {
      const env = {
        ...process.env,
        WEBHOOK_SECRET: SECRET,
        ID: 'msg_1',
        TIMESTAMP: '1614265330',
        SIGNATURE: signature,
      };
      const { status, stdout } = spawnSync('sh', ['-c', SHELL], { cwd, env, encoding: 'utf8' });
      return `${status} ${stdout}`;
    };
    const genuine = signWebhook(SECRET, 'msg_1', 1614265330, body);
    expect(verify(`v1,AAAA ${genuine}`)).toBe('0 genuine\n');
    expect(verify(signWebhook('whsec_AAAA', 'msg_1', 1614265330, body))).toBe('1 forged\n');
  },
);
