import { Problem } from '../../api/problem.ts';
import { type Answer, jsonAnswer } from '../request/answer.ts';
import type { Services } from '../services.ts';
import { isReady } from './readiness.ts';

type ServiceAnswer = (services: Services) => Promise<Answer> | Answer;

/** What the server says about itself: in no area, without a key, not counted, and also answered under high load. */
export const SERVICE_PATHS: ReadonlyMap<string, ServiceAnswer> = new Map<string, ServiceAnswer>([
  ['healthz', () => jsonAnswer(200, { status: 'ok' })],
  ['readyz', answerReadiness],
  ['metrics', answerMetrics],
  ['status.json', answerStatus],
]);

/** 200 if the server can serve, else 503; in both cases with everything that is wrong. */
async function answerReadiness({ readiness }: Services): Promise<Answer> {
  const found = await readiness();
  const ready = isReady(found);
  const checks = Object.entries({ ...found.serving, ...found.stores }).map(([part, fault]) => [
    part,
    fault ?? 'ok',
  ]);
  const degraded = Object.entries({ ...found.stores, ...found.others }).filter(([, fault]) => fault !== null);
  return jsonAnswer(ready ? 200 : 503, {
    status: ready ? 'ready' : 'not_ready',
    checks: Object.fromEntries(checks),
    degraded: Object.fromEntries(degraded),
  });
}

async function answerMetrics({ metrics }: Services): Promise<Answer> {
  const { contentType, text } = await metrics.read();
  return {
    status: 200,
    headers: { 'Content-Type': contentType, 'Cache-Control': 'no-store' },
    body: Buffer.from(text),
  };
}

async function answerStatus({ readStatus }: Services): Promise<Answer> {
  const status = await readStatus();
  if (!status) throw new Problem('unavailable', 'No run has finished yet.', { 'Retry-After': '30' });
  return jsonAnswer(200, status);
}
