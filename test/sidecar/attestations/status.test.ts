import { expect, test } from 'vitest';
import { StatusDocument } from '../../../src/api/openapi/attestation-operations.ts';
import { get } from '../tiny-app.ts';
import { attestationApp, ID, REGISTRY, UUID } from './attestation-app.ts';

test('GET /attestations/{id}/status tells what the ledger has, by id and by UUID, in either case', async () => {
  const { app } = await attestationApp({ asDiskErrors: true });
  for (const name of [ID, UUID, ID.toUpperCase(), UUID.toUpperCase()]) {
    const answer = await get(app, `/attestations/${name}/status`);
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      { registered: true, ...REGISTRY.attestations[0], as_of: REGISTRY.timestamp },
    ]);
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', ratelimit: expect.any(String) });
  }
  expect((await app.inject({ method: 'HEAD', url: `/attestations/${ID}/status` })).statusCode).toBe(200);
});

test('what has expired since the release is expired, and a check that the release cannot know of is not late', async () => {
  const now = (time: string) => ({ services: { now: () => Date.parse(time) } });
  const later = await attestationApp(now('2025-12-05T00:00:00Z'));
  expect((await get(later.app, `/attestations/${ID}/status`)).json()).toMatchObject({
    status: 'active',
    check_late: false,
  });
  const over = await attestationApp(now('2026-02-28T06:00:00Z'));
  expect((await get(over.app, `/attestations/${ID}/status`)).json()).toMatchObject({ status: 'expired' });
});

test('of what the ledger has revoked without having it, it tells that', async () => {
  const early = { ended_at: '2025-12-01T11:00:00Z', reason: 'lost', drift: null, checked_at: null };
  const revoked = { registered: false, status: 'revoked', ended_at: early.ended_at, reason: 'lost' };
  for (const attestation of [ID, UUID]) {
    const registry = { ...REGISTRY, attestations: [], unattested: [{ attestation, ...early }] };
    const { app } = await attestationApp({}, registry);
    const answers = await Promise.all(
      [ID, UUID.toUpperCase()].map((name) => get(app, `/attestations/${name}/status`)),
    );
    for (const answer of answers) StatusDocument.parse(answer.json());
    expect(answers.map((answer) => [answer.statusCode, answer.json()])).toEqual([
      [200, { ...revoked, id: ID, uuid: UUID, as_of: REGISTRY.timestamp }],
      [200, { ...revoked, id: null, uuid: UUID, as_of: REGISTRY.timestamp }],
    ]);
  }
});

test('ids that are no hashes and differ only in case have an address each', async () => {
  const [first] = REGISTRY.attestations;
  const attestations = ['Grant-7', 'grant-7', 'Grant-8'].map((id) => ({
    ...first!,
    id,
    companion: `for ${id}`,
  }));
  const { app } = await attestationApp({}, { ...REGISTRY, attestations });
  const companionOf = async (name: string) =>
    (await get(app, `/attestations/${name}/status`)).json().companion;
  for (const { id, companion } of attestations) expect(await companionOf(id)).toBe(companion);
});

test.each([
  'f'.repeat(64),
  '00000000-0000-8000-8000-000000000000',
  'x',
  '__proto__',
  'constructor',
  '%00',
  '..',
])('of %s nothing is known', async (name) => {
  const { app } = await attestationApp();
  const answer = await get(app, `/attestations/${name}/status`);
  expect(answer.json()).toMatchObject(
    name === '%00' ? { status: 400, code: 'bad_request' } : { status: 404, code: 'not_found' },
  );
});

test('it takes no parameters', async () => {
  const { app } = await attestationApp();
  expect((await get(app, `/attestations/${ID}/status?at=now`)).json()).toMatchObject({
    status: 400,
    code: 'unknown_parameter',
  });
});
