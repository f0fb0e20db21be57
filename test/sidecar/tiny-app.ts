import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { onTestFinished } from 'vitest';
import type { Status } from '../../pipeline/publish/status.ts';
import { createApp } from '../../src/sidecar/app.ts';
import { Releases } from '../../src/sidecar/releases.ts';
import { publishTiny } from '../publish/publish-tiny.ts';
import { temporaryFolder } from '../publish/temporary-folder.ts';

export interface TinyApp {
  app: FastifyInstance;
  /** What was logged, one JSON object each. */
  logged: Record<string, unknown>[];
}

/** The real app over the releases of a folder; only its log is the test's. */
export function tinyApp(out: string, status: Status | null = null): TinyApp {
  const logged: Record<string, unknown>[] = [];
  const write = (line: string) => logged.push(JSON.parse(line) as Record<string, unknown>);
  const logger = pino({ level: 'info' }, { write });
  const releases = new Releases(out, (error) => logger.error({ err: error }, 'release'));
  const app = createApp({ releases, readStatus: async () => status, logger });
  onTestFinished(() => app.close());
  return { app, logged };
}

/** The app over one tiny release. */
export async function served(events = 50): Promise<TinyApp & { out: string }> {
  const out = await temporaryFolder();
  await publishTiny(out, { events });
  return { ...tinyApp(out), out };
}

export function get(app: FastifyInstance, url: string, headers: Record<string, string> = {}) {
  return app.inject({ method: 'GET', url, headers });
}
