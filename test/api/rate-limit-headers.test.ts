import { expect, test } from 'vitest';
import { rateLimitHeaders } from '../../src/api/rate-limit-headers.ts';
import { rateLimited } from '../../src/sidecar/limits/rate-limited.ts';

test('an answer within the limit says what is left', () => {
  expect(rateLimitHeaders({ allowed: true, limit: 100, remaining: 97, resetSeconds: 3_600 })).toEqual({
    'RateLimit-Policy': '"daily";q=100;w=86400',
    RateLimit: '"daily";r=97;t=3600',
  });
});

test('an answer over the limit says when to come back', () => {
  const over = { allowed: false, limit: 1_000, remaining: 0, resetSeconds: 1 };
  const headers = {
    'RateLimit-Policy': '"daily";q=1000;w=86400',
    RateLimit: '"daily";r=0;t=1',
    'Retry-After': '1',
  };
  expect(rateLimitHeaders(over)).toEqual(headers);
  expect(rateLimited('academics', over)).toMatchObject({ code: 'rate_limited', headers });
  expect(rateLimited('academics', over).message).toContain('1000 requests of this day for academics');
});

test('an answer without a limit says nothing about limits', () => {
  expect(rateLimitHeaders({ allowed: true, limit: null, remaining: null, resetSeconds: 3_600 })).toEqual({});
});
