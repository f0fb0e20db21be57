import pino from 'pino';
import { expect, test } from 'vitest';
import { readArguments } from '../../../src/commands/command.ts';
import { COMMANDS } from '../../../src/commands/table.ts';
import { authenticate } from '../../../src/sidecar/keys/authenticate.ts';
import { describeKey, formatKeyTable } from '../../../src/sidecar/keys/key-commands.ts';
import {
  expiringKeys,
  issueKey,
  listKeys,
  revokeKey,
  rotateKey,
} from '../../../src/sidecar/keys/key-life.ts';
import { requestVerification, verifyEmail } from '../../../src/sidecar/keys/verify-email.ts';
import { failureOf } from '../../release/temporary-folder.ts';
import {
  ACADEMIC,
  codeIn,
  ECONOMIST,
  keyIn,
  NOW,
  type TinyKeyServices,
  tinyKeyServices,
} from './tiny-key-services.ts';

/** A life of keys; resolves to their texts and the code. */
async function live(services: TinyKeyServices): Promise<{ keys: string[]; code: string }> {
  const { key: printed, record } = await issueKey(ECONOMIST, services);
  const { key: rotated } = await rotateKey({ id: record.id, deliver: 'print' }, services);
  await revokeKey({ leaked: printed, reason: 'found in a repository' }, services);
  await requestVerification({ email: ACADEMIC.email }, services);
  const code = codeIn(services.mails[0]!);
  await verifyEmail({ email: ACADEMIC.email, code }, services);
  await issueKey({ ...ACADEMIC, days: 20 }, services);
  await expiringKeys({ within: 30, notify: true }, services);
  return { keys: [printed!, rotated!, keyIn(services.mails[1]!)], code };
}

/** What is secret of a key: its last 26 random characters, and each run of eight of them. */
function partsOf(key: string): string[] {
  const secret = key.split('_')[2]!.slice(4);
  return Array.from({ length: secret.length - 7 }, (_, start) => secret.slice(start, start + 8));
}

test('no part of a key is in lists, errors or the log of what went wrong', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const services = await tinyKeyServices();
  const { keys } = await live(services);
  const records = await listKeys({}, services);
  log.info({ table: formatKeyTable(records, NOW), facts: records.map((key) => describeKey(key, NOW)) });
  for (const key of keys) {
    const pasted = [
      ['issue', 'purpose', key],
      ['issue', 'tier', key],
      ['issue', 'email', `x${key}`],
      ['issue', 'areas', key],
      ['rotate', 'key-id', key],
      ['revoke', 'key-id', key],
      ['revoke', 'leaked', `${key}x`],
      ['revoke', 'reason', `saw ${key}`],
      ['verify-email', 'code', key],
    ] as const;
    for (const [command, flag, text] of pasted) {
      const name = `keys ${command}`;
      const declared = await COMMANDS[name]!();
      const failure = await failureOf(() => readArguments(name, declared, [`--${flag}=${text}`], {}));
      expect(failure.message).toContain(`--${flag}: expected `);
      log.error({ err: failure });
    }
    const rawHeaders = ['Authorization', `Bearer ${key}`];
    for (const query of ['', `x=${key}`]) {
      const found = authenticate(services.store, { rawHeaders, query }, 'government', NOW);
      log.info(await found.catch((err: unknown) => ({ err })));
    }
  }
  expect(lines).toHaveLength(1 + keys.length * 11);
  const logged = lines.join('');
  for (const part of keys.flatMap(partsOf)) expect(logged).not.toContain(part);
});
