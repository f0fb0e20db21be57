import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { parseJsonFile } from '../../../pipeline/artifacts/format/json.ts';
import {
  SERVER_ENTRY,
  SERVER_FACTS,
  SERVER_FOLDER,
  ServerFacts,
} from '../../../pipeline/build/site/site-server.ts';
import type { ServedRelease } from '../files/releases.ts';
import type { RenderJob, RenderReply } from './renderer-thread.ts';

export interface Rendered {
  status: number;
  body: Buffer;
}

/** Longer than any page takes, even the first of a release, ms. */
const MOST_MS = 20_000;
/** A release of a year takes a third of it. A thread that needs more ends, and the next page gets a new one. */
const MOST_HEAP_MIB = 512;
/** After so long without a request the thread ends, and its memory is given back, ms. */
const IDLE_MS = 10 * 60 * 1000;

/**
 * The program of one release for the pages that are made when they are asked for, in a thread of its own: a program cannot be
 * unloaded, but a thread can end, and nobody else waits for what it draws. It begins with the first page.
 */
export class Renderer {
  readonly #release: ServedRelease;
  readonly #documents: string;
  readonly #heapMib: number;
  readonly #waiting = new Map<number, PromiseWithResolvers<Rendered>>();
  #worker: Promise<Worker> | null = null;
  #nextId = 0;
  #idle: NodeJS.Timeout | null = null;

  constructor(release: ServedRelease, documents: string, heapMib = MOST_HEAP_MIB) {
    this.#release = release;
    this.#documents = documents;
    this.#heapMib = heapMib;
  }

  /** Rejects with an Error where the program fails or takes too long; the next page gets a new thread. */
  async render(url: string): Promise<Rendered> {
    this.#worker ??= this.#start();
    const worker = await this.#worker;
    const id = this.#nextId++;
    const waiting = Promise.withResolvers<Rendered>();
    this.#waiting.set(id, waiting);
    const late = setTimeout(() => this.#fail(new Error(`${url} took longer than ${MOST_MS} ms`)), MOST_MS);
    worker.postMessage({ id, url } satisfies RenderJob);
    this.#stayFor(IDLE_MS);
    return waiting.promise.finally(() => clearTimeout(late));
  }

  async end(): Promise<void> {
    const worker = this.#worker;
    this.#fail(new Error('the renderer has ended'));
    await (await worker?.catch(() => null))?.terminate();
  }

  async #start(): Promise<Worker> {
    const { dir } = this.#release;
    try {
      await assertWhole(this.#release);
      const place = join(dir, SERVER_FACTS);
      const facts = parseJsonFile(await readFile(place, 'utf8'), ServerFacts, place, 'release_invalid');
      const worker = new Worker(new URL('./renderer-thread.ts', import.meta.url), {
        workerData: { entry: pathToFileURL(join(dir, SERVER_ENTRY)).href },
        resourceLimits: { maxOldGenerationSizeMb: this.#heapMib },
        // What the pages read of their environment, see src/site/components/release.ts; nothing else of the process's own.
        env: {
          NODE_ENV: 'production',
          CATHEDRAL_SITE_RELEASE: dir,
          CATHEDRAL_SITE_URL: facts.base_url,
          CATHEDRAL_SITE_CONTACT: facts.contact,
          CATHEDRAL_SITE_DOCUMENTS: this.#documents,
        },
      });
      worker.on('message', (reply: RenderReply) => this.#settle(reply));
      worker.on('error', (error: Error) => this.#fail(error));
      worker.on('exit', () => this.#fail(new Error('the thread that renders pages has ended')));
      // It never keeps the process from ending.
      worker.unref();
      return worker;
    } catch (error) {
      this.#worker = null;
      throw error;
    }
  }

  #settle({ id, status, body }: RenderReply): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (status >= 500) waiting?.reject(new Error(Buffer.from(body).toString()));
    else waiting?.resolve({ status, body: Buffer.from(body.buffer, body.byteOffset, body.length) });
  }

  #fail(error: Error): void {
    if (this.#idle) clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = null;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    void worker?.then(
      (running) => running.terminate(),
      () => {},
    );
  }

  #stayFor(ms: number): void {
    if (this.#idle) clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#fail(new Error('idle')), ms).unref();
  }
}

/** A program that is not, byte for byte, the one of the manifest is not run. */
async function assertWhole({ dir, manifest }: ServedRelease): Promise<void> {
  const files = manifest.unlisted.filter(({ file }) => file.startsWith(`${SERVER_FOLDER}/`));
  for (const { file, sha256 } of files) {
    const found = hash('sha256', await readFile(join(dir, file)));
    if (found !== sha256) throw new Error(`${file}: expected sha256 ${sha256}, found ${found}`);
  }
}
