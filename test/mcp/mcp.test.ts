import { cp, mkdtemp, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { pageNames } from '../../pipeline/forms/catalogue/page-names.ts';
import { FolderOrigin } from '../../pipeline/verify/folder-origin.ts';
import { HeldRelease } from '../../src/mcp/held-release.ts';
import { createMcpServer, TOOLS } from '../../src/mcp/mcp-server.ts';
import type { Call } from '../../src/mcp/tool.ts';
import { createLogFiles } from '../../src/sidecar/files/log-files.ts';
import { SnapshotFiles } from '../../src/sidecar/files/snapshot-files.ts';
import { type InjectedApp, type TinyOptions, tinyApp } from '../sidecar/tiny-app.ts';
import { BASE_URL, FIRST, twoReleases } from './two-releases.ts';

let folder: string;
let out: string;
/** As it was before the last run. */
let earlier: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cathedral-mcp-'));
  ({ out, earlier } = await twoReleases());
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function servicesOf(place: string): NonNullable<TinyOptions['services']> {
  return { log: createLogFiles(place), snapshots: new SnapshotFiles(place), baseUrl: BASE_URL };
}

async function connect(
  transport: ConstructorParameters<typeof Client>[0] extends never ? never : Parameters<Client['connect']>[0],
  options = {},
) {
  const client = new Client({ name: 'test', version: '1.0.0' }, options);
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

/** The official client over HTTP, connected to the real app. */
async function overHttp(options: TinyOptions = {}, clientOptions = {}) {
  const tiny = await tinyApp(out, { ...options, services: { ...servicesOf(out), ...options.services } });
  await tiny.app.listen({ port: 0, host: '127.0.0.1' });
  const url = new URL(`http://127.0.0.1:${(tiny.app.server.address() as AddressInfo).port}/mcp`);
  return { ...tiny, url, client: await connect(new StreamableHTTPClientTransport(url), clientOptions) };
}

const MODERN = { versionNegotiation: { mode: { pin: '2026-07-28' } } };

type Result = Awaited<ReturnType<Client['callTool']>>;
const textOf = ({ content }: Result) => (content[0] as { text: string }).text;
// biome-ignore lint/suspicious/noExplicitAny: each tool has another result, which its schema has checked
const resultOf = (result: Result): any => {
  expect(result.isError, textOf(result)).not.toBe(true);
  return result.structuredContent;
};

/** A tool without a client, over a folder. */
async function callTool(name: string, args: object, place = out, more: Partial<Call> = {}) {
  const held = new HeldRelease({
    open: () => FolderOrigin.at(place),
    keys: null,
    ledgerKeys: null,
    now: Date.now,
  });
  const tool = TOOLS.find((one) => one.name === name)!;
  const call = { held, count: async () => {}, signal: new AbortController().signal, ...more };
  const result = await tool.run(tool.input.parse(args), call);
  // biome-ignore lint/suspicious/noExplicitAny: as above
  return { ...result, value: tool.output.parse(result.value) as any };
}

describe.each([
  { name: 'with a handshake', options: {} },
  { name: 'of 2026', options: MODERN },
])('the server over HTTP, for a client $name', ({ options }) => {
  test('answers with figures, their time, their snapshot and their hash', async () => {
    const { client } = await overHttp({}, options);
    expect(client.getInstructions()).toContain('permanent_address');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    for (const { annotations, inputSchema } of tools) {
      expect(annotations?.readOnlyHint).toBe(true);
      expect(inputSchema.additionalProperties).toBe(false);
    }
    const found = resultOf(
      await client.callTool({ name: 'find_files', arguments: { words: 'supply by day' } }),
    );
    expect(found.files[0].path).toBe('economy/supply-by-day.csv');
    const path = 'economy/mic-history.csv';
    const { rows, source, total } = resultOf(
      await client.callTool({ name: 'read_rows', arguments: { path, limit: 2 } }),
    );
    const file = await readFile(join(out, 'current/public', path), 'utf8');
    expect(rows.map((row: string[]) => row.join(','))).toEqual(file.split('\n').slice(1, 3));
    expect(total).toBe(file.trim().split('\n').length - 1);
    expect(source).toMatchObject({ snapshot: '2026-01-03T00Z', is_current: true, as_of: rows[0][0] });
    expect(source.permanent_address).toBe(`${BASE_URL}/snapshots/2026-01-03T00Z/${path}`);
    const proof = resultOf(
      await client.callTool({ name: 'verify_row', arguments: { row: rows[0].join(',') } }),
    );
    expect(proof).toMatchObject({ verdict: 'proved', history: path });
    const { resources } = await client.listResources();
    expect(resources.map(({ name }) => name)).toContain('economy/supply');
    expect(resources.map(({ name }) => name)).not.toContain('government/compliance-report.json');
    const { contents } = await client.readResource({ uri: 'cathedral:///economy/supply' });
    expect(JSON.parse((contents[0] as { text: string }).text)).toHaveProperty('total_supply');
  });

  test('says of a wrong argument, a restricted file and an unknown tool what is wrong', async () => {
    const { client } = await overHttp({}, options);
    const failing = async (name: string, args: Record<string, unknown>) => {
      const result = await client.callTool({ name, arguments: args });
      expect(result.isError).toBe(true);
      return textOf(result);
    };
    expect(await failing('read_rows', { path: 'economy/suply-by-day.csv' })).toContain(
      'Did you mean economy/supply-by-day.csv?',
    );
    expect(await failing('read_rows', { path: 'economy/supply', limits: 3 })).toContain('limits');
    expect(await failing('read_rows', { path: 'economy/supply', limit: 501 })).toContain('limit');
    expect(await failing('read_rows', { path: 'economy/supply', columns: ['x'] })).toContain('total_supply');
    expect(await failing('read_values', { path: 'economy/supply', as_of: 'yesterday' })).toContain('a date');
    for (const path of ['government/compliance-report.json', 'government/ledger/export'])
      expect(await failing('read_rows', { path })).toMatch(/restricted|no file/);
    await expect(client.callTool({ name: 'write_rows', arguments: {} })).rejects.toThrow('write_rows');
  });
});

/** The message that lists the tools, as a client with a handshake sends it. */
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

function post(app: InjectedApp, payload: unknown, headers: Record<string, string> = {}) {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
  return app.inject({
    method: 'POST',
    url: '/mcp',
    payload: text,
    headers: { 'content-type': 'application/json', host: 'data.example.org', ...headers },
  });
}

describe('the path /mcp', () => {
  test('takes one message a request, of a program or of a page of its own, and nothing longer', async () => {
    const { app } = await tinyApp(out, { services: servicesOf(out) });
    const good = await post(app, LIST);
    expect([good.statusCode, good.headers['content-type']]).toEqual([200, 'application/json']);
    expect(good.json().result.tools).toHaveLength(TOOLS.length);
    const answers = [
      { expected: 200, answer: await post(app, LIST, { origin: BASE_URL }) },
      { expected: 403, answer: await post(app, LIST, { origin: 'https://evil.example' }) },
      // A name of the attacker that now leads to this machine.
      {
        expected: 403,
        answer: await post(app, LIST, { origin: 'http://evil.example', host: 'evil.example' }),
      },
      { expected: 403, answer: await post(app, LIST, { origin: 'null' }) },
      { expected: 400, answer: await post(app, [LIST, LIST]) },
      { expected: 400, answer: await post(app, [LIST], { 'mcp-protocol-version': '2025-11-25' }) },
      { expected: 400, answer: await post(app, '{') },
      { expected: 400, answer: await post(app, LIST, { 'mcp-protocol-version': '1999-01-01' }) },
      { expected: 413, answer: await post(app, { ...LIST, padding: 'x'.repeat(70_000) }) },
      { expected: 415, answer: await post(app, LIST, { 'content-type': 'text/plain' }) },
      { expected: 202, answer: await post(app, { jsonrpc: '2.0', method: 'notifications/initialized' }) },
      { expected: 405, answer: await app.inject({ method: 'GET', url: '/mcp' }) },
    ];
    for (const [index, { expected, answer }] of answers.entries())
      expect(answer.statusCode, `request ${index}: ${answer.body}`).toBe(expected);
    expect(answers.at(-1)!.answer.headers.allow).toBe('POST, OPTIONS');
  });

  test('has no stream without an end', async () => {
    const { app } = await tinyApp(out, { services: servicesOf(out) });
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: { _meta, notifications: {} },
    };
    const answer = await post(app, message, {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    });
    expect(answer.json()).toHaveProperty('error');
  });

  test('counts each call that reads data for the area of its file, up to the quota', async () => {
    const { client } = await overHttp({ asDiskErrors: true });
    const read = () => client.callTool({ name: 'read_values', arguments: { path: 'economy/supply' } });
    for (let call = 0; call < 100; call += 1) expect((await read()).isError).not.toBe(true);
    expect(textOf(await read())).toMatch(/100/);
    const other = { path: 'philosophy/virtues.json' };
    expect(
      (await client.callTool({ name: 'describe_file', arguments: { path: 'economy/supply' } })).isError,
    ).not.toBe(true);
    expect((await client.callTool({ name: 'read_values', arguments: other })).isError).not.toBe(true);
  });
});

describe('cathedral mcp', () => {
  test('answers over standard output, which has nothing but the protocol', async () => {
    const command = {
      command: process.execPath,
      args: [resolve('src/cli.ts'), 'mcp', out],
      stderr: 'pipe' as const,
    };
    const transport = new StdioClientTransport(command);
    const faults: Error[] = [];
    const client = await connect(transport);
    client.onerror = (error) => void faults.push(error);
    const { values, source } = resultOf(
      await client.callTool({
        name: 'read_values',
        arguments: { path: 'economy/supply', as_of: FIRST, members: ['total_supply'] },
      }),
    );
    const kept = JSON.parse(await readFile(join(earlier, 'current/public/economy/supply'), 'utf8'));
    expect(values[0].value).toBe(kept.total_supply);
    expect(source).toMatchObject({ snapshot: FIRST, is_current: false, as_of: kept.timestamp });
    await client.close();
    expect(faults).toEqual([]);
  });
});

describe('read_rows', () => {
  const path = 'economy/mic-history.csv';

  test('filters, orders and chooses, with amounts compared by all of their digits', async () => {
    const amount = { column: 'amount', op: 'ge', value: '900.000001' };
    const order = { column: 'amount', descending: true };
    const { value } = await callTool('read_rows', {
      path,
      filters: [amount],
      columns: ['amount', 'sentinel'],
      order,
      limit: 500,
    });
    const file = await readFile(join(out, 'current/public', path), 'utf8');
    const expected = file
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(',')[3]!)
      .filter((text) => Number(text) >= 900.000001);
    expect(value.rows.map(([text]: [string]) => text)).toEqual(
      expected.toSorted((a, b) => Number(b) - Number(a)),
    );
    expect(value.columns.map(({ name }: { name: string }) => name)).toEqual(['amount', 'sentinel']);
    await expect(callTool('read_rows', { path, filters: [{ ...amount, value: 'much' }] })).rejects.toThrow(
      'a number',
    );
  });

  test('continues a page in its own version after a new release, and refuses the cursor of another query', async () => {
    const place = join(folder, 'switched');
    await cp(earlier, place, { recursive: true, verbatimSymlinks: true });
    const { value: first } = await callTool('read_rows', { path, limit: 3 }, place);
    const { value: second } = await callTool('read_rows', { path, limit: 3, cursor: first.next_cursor }, out);
    const file = (await readFile(join(earlier, 'current/public', path), 'utf8')).split('\n').slice(1);
    expect([...first.rows, ...second.rows].map((row: string[]) => row.join(','))).toEqual(file.slice(0, 6));
    expect(second.source).toMatchObject({ snapshot: FIRST, is_current: false });
    const other = { path, columns: ['amount'], cursor: first.next_cursor };
    await expect(callTool('read_rows', other)).rejects.toThrow('another query');
    await expect(callTool('read_rows', { path, cursor: 'x' })).rejects.toThrow('next_cursor');
  });

  test('gives fewer rows than asked where they would be too long, and all of them on further pages', async () => {
    const args = { path: 'philosophy/deliberation-archive.json', limit: 500 };
    const texts: string[] = [];
    let cursor: string | undefined;
    do {
      const { value } = await callTool('read_rows', cursor === undefined ? args : { ...args, cursor });
      expect(JSON.stringify(value.rows).length).toBeLessThan(200_000);
      texts.push(...value.rows.map((row: string[]) => row[0]));
      cursor = value.next_cursor ?? undefined;
    } while (cursor !== undefined);
    const archive = JSON.parse(await readFile(join(out, 'current/public', args.path), 'utf8'));
    expect(texts).toEqual(archive.deliberations.map(({ id }: { id: string }) => id));
  });

  test('ends when the caller cancels', async () => {
    const stop = new AbortController();
    stop.abort(new Error('cancelled'));
    await expect(callTool('read_rows', { path }, out, { signal: stop.signal })).rejects.toThrow('cancelled');
  });
});

describe('a release that is replaced during a call', () => {
  test('is read again, and never mixed with the other', async () => {
    const place = join(folder, 'replaced');
    await cp(earlier, place, { recursive: true, verbatimSymlinks: true });
    const held = new HeldRelease({
      open: () => FolderOrigin.at(place),
      keys: null,
      ledgerKeys: null,
      now: Date.now,
    });
    // Between the manifest and the file: the quota is counted there.
    let calls = 0;
    const count = async () => {
      calls += 1;
      if (calls > 1) return;
      await cp(out, place, {
        recursive: true,
        verbatimSymlinks: true,
        filter: (source) => !source.endsWith('/current'),
      });
      await symlink(await readlink(join(out, 'current')), join(place, 'next'));
      await rename(join(place, 'next'), join(place, 'current'));
    };
    const { value } = await callTool('verify_file', { path: 'economy/supply-by-day.csv' }, place, {
      held,
      count,
    });
    expect(value.verdict).toBe('proved');
    expect(calls).toBe(2);
    const manifest = JSON.parse(await readFile(join(out, 'current/public/manifest.json'), 'utf8'));
    const { sha256 } = manifest.files.find(
      ({ path }: { path: string }) => path === 'economy/supply-by-day.csv',
    );
    expect(value.sha256).toBe(sha256);
  });
});

describe('verify_file', () => {
  test('tells what is proved, what does not hold and what cannot be checked', async () => {
    const path = 'economy/supply';
    const old = JSON.parse(await readFile(join(earlier, 'current/public/manifest.json'), 'utf8'));
    const { sha256 } = old.files.find((file: { path: string }) => file.path === path);
    const verdictOf = async (args: object, place = out) =>
      (await callTool('verify_file', { path, ...args }, place)).value.verdict;
    expect(await verdictOf({})).toBe('proved');
    expect(await verdictOf({ sha256, as_of: FIRST })).toBe('proved');
    expect(await verdictOf({ sha256 })).toBe('cannot_be_checked');
    expect(await verdictOf({ sha256: '0'.repeat(64), as_of: FIRST })).toBe('does_not_hold');
    expect(await verdictOf({ as_of: '2025-01-01' })).toBe('cannot_be_checked');
    const tampered = join(folder, 'tampered');
    await cp(earlier, tampered, { recursive: true, verbatimSymlinks: true });
    const file = join(tampered, 'current/public', path);
    const text = await readFile(file, 'utf8');
    await rm(file);
    await writeFile(
      file,
      text.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10)),
    );
    expect(await verdictOf({}, tampered)).toBe('does_not_hold');
    const signature = join(tampered, 'current/public/manifest.json.sig');
    const note = await readFile(signature, 'utf8');
    await rm(signature);
    await writeFile(signature, note.replace(/(— \S+ )(\S{20})/, '$1AAAAAAAAAAAAAAAAAAAA'));
    expect(await verdictOf({}, tampered)).toBe('does_not_hold');
  });
});

describe('compare_versions and cite', () => {
  test('name the rows of the days between, and the version that is cited', async () => {
    const path = 'economy/supply-by-day.csv';
    const { value } = await callTool('compare_versions', { path, since: FIRST });
    expect(value.kind).toBe('rows');
    expect(value.added.map((row: string) => row.slice(0, 10))).toEqual([
      '2026-01-01',
      '2025-12-31',
      '2025-12-30',
    ]);
    await expect(callTool('compare_versions', { path, since: '2026-01-02', until: FIRST })).rejects.toThrow(
      'after until',
    );
    const { value: citation } = await callTool('cite', {
      path: 'economy/supply',
      as_of: FIRST,
      format: 'bibtex',
    });
    expect(citation.citation).toContain(`@dataset{cathedral_economy_supply`);
    expect(citation.permanent_address).toBe(`${BASE_URL}/snapshots/${FIRST}/economy/supply`);
    const { value: chart } = await callTool('cite', { chart: 'mii' });
    expect(chart.citation).toContain('Integrity index');
    const { decisions } = JSON.parse(
      await readFile(join(out, 'current/public/philosophy/decisions.json'), 'utf8'),
    );
    const { id } = decisions[0];
    const { value: decided } = await callTool('cite', { decision: id });
    expect(decided.citation).toContain(id);
    // The name of its page is in lower case, or a hash.
    expect(decided.address).toBe(`${BASE_URL}/decisions/${pageNames([id]).get(id)}/`);
    await expect(callTool('cite', {})).rejects.toThrow('exactly one');
  });
});

test('the server is made without a release', () => {
  const open = () => Promise.reject(new Error('none'));
  const held = new HeldRelease({ open, keys: null, ledgerKeys: null, now: Date.now });
  expect(() =>
    createMcpServer({ held, count: async () => {}, version: '1', onFault: () => {} }),
  ).not.toThrow();
});
