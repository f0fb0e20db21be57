import { expect, test } from 'vitest';
import { RequestCounts } from '../../../src/sidecar/health/metrics.ts';

const answered = { method: 'GET', status: 200, area: 'economy', seconds: 0.002 };

test('requests are counted by method, area and status, and unknown methods are one series', () => {
  const counts = new RequestCounts();
  for (const method of ['GET', 'GET', 'HEAD', 'PATCH', 'X-SOMETHING']) counts.count({ ...answered, method });
  counts.count({ ...answered, status: 404, area: 'none' });
  const lines = counts.format().split('\n');
  const ofCounter = lines.filter((line) => line.startsWith('cathedral_http_requests_total'));
  expect(ofCounter).toEqual([
    'cathedral_http_requests_total{method="GET",area="economy",status="200"} 2',
    'cathedral_http_requests_total{method="HEAD",area="economy",status="200"} 1',
    'cathedral_http_requests_total{method="other",area="economy",status="200"} 2',
    'cathedral_http_requests_total{method="GET",area="none",status="404"} 1',
  ]);
});

test('durations are counted in cumulative buckets that include their upper bound', () => {
  const counts = new RequestCounts();
  for (const seconds of [0, 0.001, 0.002, 0.5, 4000]) counts.count({ ...answered, seconds });
  const text = counts.format();
  const upTo = (bound: string) => new RegExp(`le="${bound}",area="economy"} (\\d+)`).exec(text)?.[1];
  const bounds = ['0.001', '0.0025', '0.25', '0.5', '600', '\\+Inf'];
  expect(bounds.map(upTo)).toEqual(['2', '3', '3', '4', '4', '5']);
  expect(text).toContain('cathedral_http_request_duration_seconds_sum{area="economy"} 4000.503\n');
  expect(text).toContain('cathedral_http_request_duration_seconds_count{area="economy"} 5\n');
});

test('the text ends with a line break, and names its metrics before anything is counted', () => {
  expect(new RequestCounts().format()).toMatch(
    /^# HELP .*\n# TYPE .* counter\n# HELP .*\n# TYPE .* histogram\n$/,
  );
});
