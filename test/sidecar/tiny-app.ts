import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { onTestFinished } from 'vitest';
import type { Status } from '../../pipeline/publish/status.ts';
import { createApp } from '../../src/sidecar/app.ts';
import { Releases } from '../../src/sidecar/releases.ts';

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
