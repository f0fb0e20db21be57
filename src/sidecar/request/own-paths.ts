import { Problem } from '../../api/problem.ts';
import { isReady } from '../health/readiness.ts';
import type { Services } from '../services.ts';
import { type Answer, jsonAnswer } from './answer.ts';

type OwnAnswer = (services: Services) => Promise<Answer> | Answer;

/** What the server says of itself: of no area, without a key, not counted, and answered under high load, too. */
export const OWN_PATHS: ReadonlyMap<string, OwnAnswer> = new Map<string, OwnAnswer>([
  ['healthz', () => jsonAnswer(200, { status: 'ok' })],
  ['readyz', answerReadiness],
  ['metrics', answerMetrics],
  ['status.json', answerStatus],
]);

/** 200 where the server can serve, else 503; in both cases with all that is wrong. */
async function answerReadiness({ readiness }: Services): Promise<Answer> {
  const found = await readiness();
  const ready = isReady(found);
  const checks = Object.entries(found.needed).map(([part, fault]) => [part, fault ?? 'ok']);
  const degraded = Object.entries(found.others).filter(([, fault]) => fault !== null);
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
  if (!status) throw new Problem('unavailable', 'There was no run yet.', { 'Retry-After': '30' });
  return jsonAnswer(200, status);
}
