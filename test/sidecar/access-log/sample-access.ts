import type { Access } from '../../../src/sidecar/access-log/entry.ts';

export const START = Date.parse('2025-12-01T06:00:00.000Z');

/** The access of this number: one a second, every third refused for want of a key. */
export function sampleAccess(index: number, changes: Partial<Access> = {}): Access {
  const isRefused = index % 3 === 2;
  return {
    time: START + index * 1_000,
    requestId: `request-${index}`,
    keyId: isRefused ? null : 'key-7',
    holder: isRefused ? null : 'ministry',
    area: 'government',
    method: 'GET',
    path: '/government/ledger/export',
    query: index % 2 ? 'from=2025-11-01&format=csv' : '',
    status: isRefused ? 401 : 200,
    client: '203.0.113.7',
    ...changes,
  };
}
