import { parentPort, workerData } from 'node:worker_threads';
import { type Given, openProgram, type PageList, type RenderedPage, type SiteFacts } from './open-program.ts';

/** What a thread renders pages of. */
export interface PageSource {
  /** Folder of the release that is being staged. */
  dir: string;
  /** Folder with the program. */
  program: string;
  facts: SiteFacts;
}

/** One at a time. */
export type PageJob =
  | { ask: 'kinds' }
  | { ask: 'list'; kind: string; since: string | null }
  | { ask: 'page'; path: string; given?: Given | undefined };

/** An error loses its class between threads, so only its message is sent. */
export type PageReply =
  | { failed: false; result: RenderedPage | PageList | readonly string[] }
  | { failed: true; message: string };

const { dir, program, facts } = workerData as PageSource;
// `compiledSite` has verified it.
const opening = openProgram(dir, [], facts, program);
const port = parentPort!;

async function reply(job: PageJob): Promise<PageReply> {
  const site = await opening;
  if (job.ask === 'kinds') return { failed: false, result: await site.kinds() };
  if (job.ask === 'list') return { failed: false, result: await site.list(job.kind, job.since) };
  return { failed: false, result: await site.render(job.path, job.given) };
}

port.on('message', async (job: PageJob) => {
  const answer = await reply(job).catch((error: unknown): PageReply => {
    return { failed: true, message: error instanceof Error ? error.message : String(error) };
  });
  port.postMessage(answer);
});
