import { expect, test } from 'vitest';
import { createMetrics } from '../../../src/sidecar/health/metrics.ts';
import { NO_FACTS } from '../tiny-app.ts';

const answered = { method: 'GET', status: 200, area: 'economy', seconds: 0.002 };
const open = () => createMetrics(async () => NO_FACTS);
type Opened = ReturnType<typeof open>;

async function linesOf(metrics: Opened, name: string): Promise<string[]> {
  const { text } = await metrics.read();
  return text.split('\n').filter((line) => line.startsWith(name));
}

test('requests are counted by method, area and status, and unknown methods are one series', async () => {
  const metrics = open();
  for (const method of ['GET', 'GET', 'HEAD', 'PATCH', 'X-SOMETHING']) metrics.count({ ...answered, method });
  metrics.count({ ...answered, status: 404, area: 'none', code: 'not_found' });
  expect(await linesOf(metrics, 'cathedral_http_requests_total')).toEqual([
    'cathedral_http_requests_total{method="GET",area="economy",status="200"} 2',
    'cathedral_http_requests_total{method="HEAD",area="economy",status="200"} 1',
    'cathedral_http_requests_total{method="other",area="economy",status="200"} 2',
    'cathedral_http_requests_total{method="GET",area="none",status="404"} 1',
  ]);
  expect(await linesOf(metrics, 'cathedral_http_refusals_total')).toEqual([
    'cathedral_http_refusals_total{code="not_found",tier="anonymous"} 1',
  ]);
});

test('durations are counted in cumulative buckets that include their upper bound', async () => {
  const metrics = open();
  for (const seconds of [0, 0.001, 0.002, 0.5, 4000]) metrics.count({ ...answered, seconds });
  const lines = await linesOf(metrics, 'cathedral_http_request_duration_seconds');
  const upTo = (bound: string) =>
    lines.find((line) => line.includes(`le="${bound}",area="economy"}`))?.split(' ')[1];
  const bounds = ['0.001', '0.0025', '0.25', '0.5', '600', '+Inf'];
  expect(bounds.map(upTo)).toEqual(['2', '3', '3', '4', '4', '5']);
  expect(lines).toContain('cathedral_http_request_duration_seconds_sum{area="economy"} 4000.503');
  expect(lines).toContain('cathedral_http_request_duration_seconds_count{area="economy"} 5');
});

test('what is not known is NaN, and reading again counts nothing twice', async () => {
  const metrics = open();
  const last = async () => {
    const { text } = await metrics.read();
    return /^cathedral_last_run_findings (\w+)$/m.exec(text)?.[1];
  };
  expect([await last(), await last()]).toEqual(['NaN', 'NaN']);
  const messages = await linesOf(metrics, 'cathedral_simulation_started_total');
  expect(messages).toEqual(['cathedral_simulation_started_total 0']);
});
