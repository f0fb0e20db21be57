import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sha256 } from '../../../pipeline/release/format/manifest.ts';
import { Renderer, type RendererOptions } from '../../../src/sidecar/charts/renderer.ts';
import type { FileJob, PageJob } from '../../../src/sidecar/charts/renderer-thread.ts';
import { ORGANISATION } from '../../organisation.ts';
import { failureOf, temporaryFolder } from '../../release/temporary-folder.ts';

/** Long enough for a thread to start while the machine is busy. */
const TIMEOUT_MS = 8000;
/** Stands for the site's program; some of its pages go wrong. */
const PROGRAM = `
import { threadId } from 'node:worker_threads';
const wrong = {
  '/hang': () => { for (;;); },
  '/wait': () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
  '/exit': () => process.exit(1),
  '/grow': () => { for (const all = []; ; ) all.push(Array(1e5).fill({})); },
  '/throw': () => new Promise(() => setImmediate(() => { throw new Error('not caught'); })),
  '/fail': () => { throw new Error('a page that fails'); },
};
export async function handler({ url }, response, next, { site }) {
  site.isMade = true;
  try {
    await wrong[url]?.();
  } catch (error) {
    site.error = error;
  }
  response.end(url === '/thread' ? String(threadId) : site.facts.baseUrl + url);
}`;

/** A release with that program, and the jobs for it. */
async function release(name = 'a') {
  const dir = await temporaryFolder();
  const entry = 'server/entry.mjs';
  await mkdir(dirname(join(dir, entry)));
  await writeFile(join(dir, entry), PROGRAM);
  const program = [{ file: entry, sha256: sha256(PROGRAM) }];
  const facts = { baseUrl: name, organisation: ORGANISATION };
  const page = (url: string): PageJob => ({ kind: 'page', dir, url, program, facts });
  /** A picture from a file that the release lacks: it reaches a thread and fails there. */
  const picture: FileJob = {
    ...{ kind: 'file', dir, id: 'mii', state: null as never, made: 'rows', theme: 'light', baseUrl: '' },
    sources: [{ path: 'economy/mii-history.csv', sha256: '' }],
    organisation: ORGANISATION,
  };
  return { dir, page, picture };
}

function open(options: Partial<RendererOptions> = {}) {
  const renderer = new Renderer(options);
  onTestFinished(() => renderer.close());
  const render = async (job: PageJob | FileJob, client = 'a') =>
    renderer.run(client, job.dir, async (render) => String((await render(job)).body));
  return { renderer, render };
}

test('one thread renders pages and pictures', async () => {
  const { render } = open({ parallel: 1 });
  const { page, picture } = await release();
  expect(await render(page('/one'))).toBe('a/one');
  await expect(render(picture)).rejects.toThrow(/ENOENT/);
  expect(await render(page('/two'))).toBe('a/two');
});

test.each([
  ['ends its thread', '/exit', /thread that renders charts has ended/],
  ['throws', '/throw', /not caught/],
  ['takes too much memory', '/grow', /memory limit/],
])('a page that %s fails alone, and the next page gets a new thread', async (_, url, message) => {
  const { render } = open({ parallel: 2, timeoutMs: 30_000, heapMib: 64 });
  const { page } = await release();
  const wrong = render(page(url));
  wrong.catch(() => {});
  const others = ['/1', '/2', '/3'].map((other) => render(page(other), 'b'));
  expect(await Promise.all(others)).toEqual(['a/1', 'a/2', 'a/3']);
  await expect(wrong).rejects.toThrow(message);
  expect(await render(page('/4'))).toBe('a/4');
});

test('pages that hang in every thread fail alone, and hold up the others for no longer than the timeout', async () => {
  const { render } = open({ parallel: 2, timeoutMs: TIMEOUT_MS });
  const { page } = await release();
  const hanging = Promise.all(
    ['/wait', '/wait'].map((url) =>
      expect(render(page(url))).rejects.toMatchObject({
        ...{ code: 'overloaded', status: 503, headers: { 'Retry-After': '30' } },
        cause: { message: '/wait took longer than 8000 ms' },
      }),
    ),
  );
  const others = ['/1', '/2', '/3'].map((other) => render(page(other), 'b'));
  expect(await Promise.all(others)).toEqual(['a/1', 'a/2', 'a/3']);
  await hanging;
});

test('a program is not run if one of its bytes differs', async () => {
  const { render } = open();
  const { page, dir } = await release();
  await writeFile(join(dir, 'server/entry.mjs'), `${PROGRAM} `);
  await expect(render(page('/1'))).rejects.toThrow(/entry\.mjs: expected sha256/);
  await writeFile(join(dir, 'server/entry.mjs'), PROGRAM);
  expect(await render(page('/1'))).toBe('a/1');
});

test('closing fails what is being rendered, and what waits', async () => {
  const { renderer, render } = open({ parallel: 1 });
  const { page } = await release();
  await render(page('/1'));
  const failing = ['/hang', '/2'].map((url) =>
    expect(render(page(url))).rejects.toThrow('the renderer was closed'),
  );
  await new Promise((resolve) => setTimeout(resolve, 200));
  await renderer.close();
  await Promise.all(failing);
});

const OVERLOADED = { code: 'overloaded', headers: { 'Retry-After': '10' } };

/** Pieces of work named after their clients, such as `a1`; each lasts until the test ends it. */
function workOf(options: Partial<RendererOptions>) {
  const { renderer } = open(options);
  const begun: string[] = [];
  const works = new Map<string, PromiseWithResolvers<void>>();
  const run = (name: string) => {
    const work = Promise.withResolvers<void>();
    works.set(name, work);
    const running = renderer.run(name[0]!, '', () => {
      begun.push(name);
      return work.promise;
    });
    running.catch(() => {});
    return running;
  };
  return { begun, works, run };
}

test('each thread does one piece of work at once, some waits, and more is refused', async () => {
  const { begun, works, run } = workOf({ parallel: 2, waiting: 2 });
  const runs = ['a0', 'a1', 'b2', 'b3'].map(run);
  expect(await failureOf(() => run('c4'))).toMatchObject(OVERLOADED);
  expect(begun).toEqual(['a0', 'a1']);
  works.get('a1')!.reject(new Error('failed'));
  await expect(runs[1]).rejects.toThrow('failed');
  works.get('b3')!.resolve();
  await runs[3];
  expect(begun).toEqual(['a0', 'a1', 'b3']);
  works.get('a0')!.resolve();
  await runs[0];
  works.get('b2')!.resolve();
  await runs[2];
  const again = run('d5');
  works.get('d5')!.resolve();
  await again;
});

test('one client has a quarter of what may wait, and the others have the rest', async () => {
  const { run } = workOf({ parallel: 1, waiting: 8 });
  for (const name of ['a0', 'a1', 'a2']) run(name);
  expect(await failureOf(() => run('a3'))).toMatchObject(OVERLOADED);
  for (const name of ['b0', 'b1', 'b2', 'c0', 'c1', 'c2']) run(name);
  expect(await failureOf(() => run('d0'))).toMatchObject(OVERLOADED);
});
