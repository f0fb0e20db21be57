import { type Answer, jsonAnswer } from './answer.ts';
import { Problem } from './problem.ts';
import type { Services } from './services.ts';

type OwnAnswer = (services: Services) => Promise<Answer> | Answer;

/** What the server says of itself: of no area, without a key, not counted, and answered under high load, too. */
export const OWN_PATHS: ReadonlyMap<string, OwnAnswer> = new Map<string, OwnAnswer>([
  ['healthz', () => jsonAnswer(200, { status: 'ok' })],
  ['readyz', answerReadiness],
  ['metrics', answerMetrics],
  ['status.json', answerStatus],
]);

/** 200 where everything is well, else 503 and what is not. */
async function answerReadiness({ readiness }: Services): Promise<Answer> {
  const checks = await readiness();
  const ready = Object.values(checks).every((fault) => fault === null);
  const described = Object.entries(checks).map(([name, fault]) => [name, fault ?? 'ok']);
  return jsonAnswer(ready ? 200 : 503, {
    status: ready ? 'ready' : 'not_ready',
    checks: Object.fromEntries(described),
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
