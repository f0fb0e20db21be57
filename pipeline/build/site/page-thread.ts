import { parentPort, workerData } from 'node:worker_threads';
import { type Given, openProgram, type RenderedPage, type SiteFacts } from './open-program.ts';

/** What a thread renders pages of. */
export interface PageSource {
  /** Folder of the release that is being staged. */
  dir: string;
  /** Folder with the program. */
  program: string;
  facts: SiteFacts;
}

/** One at a time. */
export interface PageJob {
  url: string;
  given?: Given | undefined;
}

/** An error loses its class between threads, so only its message is sent. */
export type PageReply = { failed: false; page: RenderedPage } | { failed: true; message: string };

const { dir, program, facts } = workerData as PageSource;
// `compiledSite` has verified it.
const opening = openProgram(dir, [], facts, program);
const port = parentPort!;

port.on('message', ({ url, given }: PageJob) => {
  const rendering = opening.then((site) => site.render(url, given));
  const reply = rendering.then(
    (page): PageReply => ({ failed: false, page }),
    (error: unknown): PageReply => {
      return { failed: true, message: error instanceof Error ? error.message : String(error) };
    },
  );
  void reply.then((answer) => port.postMessage(answer));
});
