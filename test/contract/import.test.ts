import { hash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Client } from 'pg';
import { afterAll, beforeAll, test } from 'vitest';
import { listen } from '../listen.ts';
import { useStore } from '../setups/use-store.ts';
import { checkSession } from './commands/session.ts';

/** A session is one test, of many commands. */
const PATIENCE = 600_000;
const FOLDER = join(import.meta.dirname, 'import');
const store = useStore();

const PLAIN = readdirSync(FOLDER).filter((name) => /^(append|follow).*\.session\.txt$/.test(name));

test.each(PLAIN)('%s', (name) => checkSession(join(FOLDER, name)), PATIENCE);

test.skipIf(store.isMissing)(
  'postgres.session.txt',
  async () => {
    let address = '';
    const open = new Map<string, Client>();
    const end = (word: string) => async (name: string) => {
      await open.get(name)!.query(word);
      await open.get(name)!.end();
      open.delete(name);
      return undefined;
    };
    await checkSession(join(FOLDER, 'postgres.session.txt'), {
      '@database': async () => {
        address = await store.newDatabase('nothing');
        return { database: address };
      },
      '@sql': async (_, content) => {
        await store.sql(address, content.join('\n'));
        return undefined;
      },
      '@begin': async (text) => {
        const [name = '', ...statement] = text.split(' ');
        const client = await (await store.server()).connect(new URL(address).pathname.slice(1));
        open.set(name, client);
        await client.query('BEGIN');
        await client.query(statement.join(' '));
        return undefined;
      },
      '@commit': end('COMMIT'),
      '@rollback': end('ROLLBACK'),
    });
  },
  PATIENCE,
);

/** Answers what `@remote` says, as docs/sources.md describes it. */
let answer: { status: number; events: string[] | null } = { status: 200, events: [] };
const remote = createServer((request, response) => {
  const url = new URL(request.url!, 'http://localhost');
  const [limit, offset] = ['limit', 'offset'].map((name) => Number(url.searchParams.get(name)));
  response.writeHead(answer.status, { 'content-type': 'application/json' });
  const page = answer.events?.slice(offset, offset! + limit!);
  response.end(page ? `{"events":[${page.join(',')}],"count":${page.length}}` : '{"events":7}');
});
let origin: string;
beforeAll(async () => {
  ({ origin } = await listen(remote));
});
afterAll(() => void remote.close());

test(
  'civic.session.txt',
  () =>
    checkSession(join(FOLDER, 'civic.session.txt'), {
      '@remote': async (how, content) => {
        const status = how === 'status-404' ? 404 : 200;
        answer = { status, events: how === 'another-form' ? null : chainOf(content, how === 'wrong-hash') };
        return { remote: origin };
      },
    }),
  PATIENCE,
);

/**
 * Lines `id time type payload` as events, newest first, of which each follows the one before it; `e5<e1` follows e1. The payloads are as Python
 * prints them.
 */
function chainOf(lines: readonly string[], isWrong: boolean): string[] {
  let before = '0'.repeat(64);
  const hashes = new Map<string, string>();
  const events = lines.map((line) => {
    const [, id, first, time, type, payload] = /^([^\s<]+)(?:<(\S+))? (\S+) (\S+) (.*)$/.exec(line)!;
    before = hashes.get(first ?? '') ?? before;
    const members = [id, type, 'citizen-7', 'lab4', payload, time, before];
    const own = isWrong ? 'f'.repeat(64) : hash('sha256', members.join(''));
    const event = `{"event_id":"${id}","event_type":"${type}","civic_id":"citizen-7","lab_source":"lab4","payload":${payload},"timestamp":"${time}","previous_hash":"${before}","event_hash":"${own}","signature":null}`;
    hashes.set(id!, own);
    before = own;
    return event;
  });
  return events.toReversed();
}
