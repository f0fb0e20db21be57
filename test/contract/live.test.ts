import { once } from 'node:events';
import { copyFile, cp, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { madeOnce } from '../site/made-once.ts';
import { command, type OpenServer, openServer } from './http/seam.ts';

interface Message {
  event: string;
  id: string;
  value: Record<string, unknown> | undefined;
}

/** A stream as it comes, which ends with the test. */
async function listen(url: string, lastEventId?: string) {
  const headers = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId };
  const request = get(url, { headers, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  response.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  response.on('error', () => undefined);
  request.on('error', () => undefined);
  onTestFinished(() => void request.destroy());
  const messages = () =>
    text
      .split('\n\n')
      .slice(0, -1)
      .filter((block) => block.startsWith('event: '))
      .map(readMessage);
  const until = async (isSo: (all: Message[]) => boolean) => {
    for (; !isSo(messages()); await sleep(10))
      if (response.closed) throw new Error(`the stream ended with ${response.statusCode}: ${text}`);
    return messages();
  };
  return { response, text: () => text, messages, until, close: () => request.destroy() };
}

function readMessage(block: string): Message {
  const fields = Object.fromEntries(
    block.split('\n').map((line) => /^(\w+): (.*)$/.exec(line)!.slice(1, 3)),
  ) as Record<string, string>;
  return { event: fields.event!, id: fields.id!, value: JSON.parse(fields.data!).value };
}

/** A ledger of one's own with a million MIC, published. */
async function publish(): Promise<string> {
  const { made } = await madeOnce('own-ledger', async (folder) => {
    const ledger = join(folder, 'ledger');
    await command('ledger init', [ledger, '--origin', 'ledger.example.org', '--allocation', '1000000']);
    await command('ledger seal', [ledger]);
    const out = ['--out', join(folder, 'out'), '--publisher-key', join(folder, 'publisher.key')];
    await command('build', ['--ledger', ledger, ...out, '--without-site', '--allow-placeholders']);
    return { made: folder };
  });
  return made;
}

beforeAll(publish);

/** That ledger, published and served, in a folder of the test's own. */
async function service() {
  const made = await publish();
  const folder = await temporaryFolder();
  await cp(made, folder, { recursive: true, verbatimSymlinks: true });
  return { folder, ledger: join(folder, 'ledger'), server: await serve(folder, join(folder, 'ledger')) };
}

let stores = 0;

async function serve(folder: string, ledger: string): Promise<OpenServer> {
  stores += 1;
  const own = ['--store', join(folder, `${stores}-stores`)];
  const server = await openServer([
    '--ledger',
    ledger,
    '--out',
    join(folder, 'out'),
    ...own,
    '--log-level',
    'error',
    '--grace',
    '0',
  ]);
  onTestFinished(() => server.close());
  return server;
}

async function burn(folder: string, ledger: string, amount: string): Promise<void> {
  const file = join(folder, 'burn.ndjson');
  const event = { type: 'mic_burn', agent: 'TREASURY', data: { amount, reason: 'fees' } };
  await writeFile(file, `${JSON.stringify(event)}\n`);
  await command('ledger append', [file, '--ledger', ledger]);
}

const burned = ({ value }: Message) => Number(value?.total_burned ?? value?.burned);
const SUPPLY = '/live?paths=economy/supply';

test('a stream begins with each path, and has what was appended, byte for byte as the path itself', async () => {
  const { folder, ledger, server } = await service();
  const all = await listen(`${server.url}/live`);
  expect(all.response.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'access-control-allow-origin': '*',
    'x-accel-buffering': 'no',
    connection: 'close',
  });
  const begun = await all.until((messages) => messages.length === 5);
  expect(all.text()).toMatch(/^retry: \d+\n\n/);
  expect(begun.map(({ event }) => event).toSorted()).toEqual([
    ...'economy/supply government/sentinel-status.json philosophy/companions.json'.split(' '),
    ...'philosophy/deliberations.json philosophy/virtues.json'.split(' '),
  ]);
  expect(Math.max(...begun.map(({ id }) => id.length))).toBeLessThanOrEqual(75);
  await burn(folder, ledger, '12.5');
  const more = await all.until((messages) =>
    messages.some((one) => one.event === 'economy/supply' && burned(one) === 12.5),
  );
  const path = await (await fetch(`${server.url}/economy/supply`)).json();
  expect(more.findLast(({ event }) => event === 'economy/supply')!.value).toEqual(path);
});

test('Last-Event-ID: before the newest, every path; at the newest, nothing; beyond it, never anything older', async () => {
  const { folder, ledger, server } = await service();
  // Another server of the service, whose copy of the ledger lags behind.
  const behind = join(folder, 'behind');
  await cp(ledger, behind, { recursive: true });
  await copyFile(`${ledger}.vkey`, `${behind}.vkey`);
  const late = await serve(folder, behind);

  const first = await listen(`${server.url}${SUPPLY}`);
  const [{ id: before }] = (await first.until((messages) => messages.length === 1)) as [Message];
  const whole = await listen(`${server.url}/live`);
  const idOfAll = (await whole.until((messages) => messages.length === 5)).at(-1)!.id;
  for (const stream of [first, whole]) stream.close();
  await burn(folder, ledger, '1');
  const resumed = await listen(`${server.url}${SUPPLY}`, before);
  const [changed] = await resumed.until((messages) => messages.length > 0);
  expect(burned(changed!)).toBe(1);

  const atNewest = await listen(`${server.url}${SUPPLY}`, changed!.id);
  const beyond = await listen(`${late.url}${SUPPLY}`, changed!.id);
  const other = await listen(`${server.url}/live`, idOfAll);
  const unknown = await listen(`${server.url}${SUPPLY}`, 'an id of something else');
  await unknown.until((messages) => messages.length === 1);
  await burn(folder, ledger, '2');
  await copyFile(join(ledger, 'head.ndjson'), join(behind, 'head.ndjson'));
  const valuesOf = async (stream: typeof first) => {
    const seen = await stream.until((messages) => messages.some((one) => burned(one) === 3));
    return seen.filter(({ value }) => value).map((one) => [one.event, burned(one)]);
  };
  expect(await valuesOf(resumed)).toEqual([
    ['economy/supply', 1],
    ['economy/supply', 3],
  ]);
  expect(await valuesOf(atNewest)).toEqual([['economy/supply', 3]]);
  expect(await valuesOf(beyond)).toEqual([['economy/supply', 3]]);
  // Every path once, and then the one that changed again.
  const sent = (await valuesOf(other)).map(([event]) => event);
  expect([sent.length, new Set(sent).size, sent.at(-1)]).toEqual([6, 5, 'economy/supply']);
});

test('a network has at most fifty listeners, and a place again when one leaves', async () => {
  const { server } = await service();
  const streams = await Promise.all(Array.from({ length: 50 }, () => listen(`${server.url}${SUPPLY}`)));
  const refused = await fetch(`${server.url}${SUPPLY}`);
  expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toMatchObject([
    503,
    '30',
    { code: 'too_many_listeners', type: '/problems/too_many_listeners/' },
  ]);
  streams[0]!.close();
  await expect
    .poll(async () => {
      const next = await listen(`${server.url}${SUPPLY}`);
      return next.response.statusCode;
    })
    .toBe(200);
});

test('a server that stops ends its streams with a time to come back', async () => {
  const { server } = await service();
  const stream = await listen(`${server.url}${SUPPLY}`);
  await stream.until((messages) => messages.length === 1);
  await server.close();
  if (!stream.response.closed) await once(stream.response, 'close');
  expect(stream.text()).toMatch(/\nretry: \d+\n\n$/);
});
