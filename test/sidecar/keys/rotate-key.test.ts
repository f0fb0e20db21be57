import { describe, expect, test } from 'vitest';
import { DAY_MS } from '../../../pipeline/words/day.ts';
import { issueKey, rotateKey } from '../../../src/sidecar/keys/key-life.ts';
import { failureOf } from '../../release/temporary-folder.ts';
import { GOVERNMENT, NOW, tinyKeyServices } from './tiny-key-services.ts';

describe('a rotation', () => {
  test('may be for fewer days, never for more than the tier has', async () => {
    const services = await tinyKeyServices();
    const { record } = await issueKey(GOVERNMENT, services);
    const failure = await failureOf(() => rotateKey({ id: record.id, days: 93 }, services));
    expect(failure).toMatchObject({ code: 'usage', place: '--key-days', found: '93' });
    const { record: next } = await rotateKey({ id: record.id, days: 30 }, services);
    expect(next.expires_at).toBe(NOW + 30 * DAY_MS);
  });
});
