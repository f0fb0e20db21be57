/**
 * The worker of a tool answers one job at a time. To cancel a job, the page ends the worker, whatever it computes.
 */

/** A job as the page sends it. */
export interface Numbered<Job> {
  number: number;
  job: Job;
}

/** What it says of a job, in this order; the last three end it. */
export type Reply<Value, News = never> = { number: number } & Said<Value, News>;

type Said<Value, News> =
  | { kind: 'working'; words: string }
  | { kind: 'news'; news: News }
  | { kind: 'consent'; bytes: number; use: string }
  | { kind: 'failed'; message: string }
  | { kind: 'done'; value: Value };

/** More bytes than the reader has agreed to: `8 MB to sort 90,000 rows`. */
export class NeedsConsent extends Error {
  readonly bytes: number;
  readonly use: string;

  constructor(bytes: number, use: string) {
    super(`${bytes} bytes ${use}`);
    this.bytes = bytes;
    this.use = use;
  }
}

/** A file that the host cannot give; the message names it and says what came instead. */
export class CannotRead extends Error {}

/** Asks the host for a file. Throws CannotRead where it does not answer. */
export function askHost(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(path, { ...init, credentials: 'omit' }).catch((cause: Error) => {
    throw new CannotRead(`${path}: the host does not answer (${cause.message}).`);
  });
}

/** What it answers, whole. Throws CannotRead where that breaks off. */
export function bytesOf(path: string, answer: Response): Promise<ArrayBuffer> {
  return answer.arrayBuffer().catch((cause: Error) => {
    throw new CannotRead(`${path}: the answer breaks off (${cause.message}).`);
  });
}

export interface Tell<News> {
  /** What is being done. */
  say(words: string): void;
  news(news: News): void;
}

/** Makes this thread the worker of a tool. */
export function answerJobs<Job, Value, News = never>(
  answer: (job: Job, tell: Tell<News>) => Promise<Value>,
): void {
  let newest = 0;
  addEventListener('message', ({ data: { number, job } }: MessageEvent<Numbered<Job>>) => {
    newest = number;
    const post = (said: Said<Value, News>) => postMessage({ number, ...said } satisfies Reply<Value, News>);
    const tell: Tell<News> = {
      say: (words) => post({ kind: 'working', words }),
      news: (news) => post({ kind: 'news', news }),
    };
    answer(job, tell).then(
      (value) => post({ kind: 'done', value }),
      (error: Error) => post(failureOf(error)),
    );
  });
  // A library may leave a failure to nobody: without an answer the page would wait for ever.
  addEventListener('unhandledrejection', ({ reason }) => {
    postMessage({ number: newest, ...failureOf(reason as Error) } satisfies Reply<Value, News>);
  });
}

function failureOf(error: Error): Extract<Said<never, never>, { kind: 'consent' | 'failed' }> {
  if (error instanceof NeedsConsent) return { kind: 'consent', bytes: error.bytes, use: error.use };
  return { kind: 'failed', message: error.message };
}
