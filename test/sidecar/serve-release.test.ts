import { appendFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import { publishTiny } from '../release/publish-tiny.ts';
import { get, served } from './tiny-app.ts';

describe('a new release', () => {
  test('answers the next request, and a request in progress keeps the previous one', async () => {
    const { app, out } = await served(50);
    expect((await get(app, '/economy/supply')).json().events).toBe(50);
    await publishTiny(out, { events: 80 });
    expect((await get(app, '/economy/supply')).json().events).toBe(80);
  });

  test('that is damaged is reported once, and the previous one stays', async () => {
    const { app, out, logged } = await served(50);
    await get(app, '/economy/supply');
    await publishTiny(out, { events: 80 });
    const { dir } = (await readCurrent(out))!;
    await appendFile(join(dir, 'manifest.json'), ' ');
    for (let times = 0; times < 3; times += 1) {
      expect((await get(app, '/economy/supply')).json().events).toBe(50);
    }
    expect(logged.filter(({ level }) => level === 50)).toHaveLength(1);
  });

  test('is loaded once for concurrent requests', async () => {
    const { app } = await served(50);
    const answers = await Promise.all(Array.from({ length: 30 }, () => get(app, '/economy/supply')));
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
  });

  test('is not served if OUT/current points outside the folder', async () => {
    const { app, out } = await served(50);
    const { dir } = (await readCurrent(out))!;
    await rm(join(out, 'current'));
    await symlink(dir, join(out, 'current'));
    expect((await get(app, '/economy/supply')).statusCode).toBe(503);
  });
});

describe('a file that is damaged on the disk', () => {
  test.each([
    ['cut off', (path: string) => writeFile(path, 'half')],
    ['gone', (path: string) => rm(path)],
  ])('(%s) is an error that is logged, never half an answer', async (_, damage) => {
    const { app, out, logged } = await served(50);
    const { dir } = (await readCurrent(out))!;
    await damage(join(dir, 'public/economy/supply'));
    const answer = await get(app, '/economy/supply');
    expect([answer.statusCode, answer.json().code]).toEqual([500, 'internal_error']);
    expect(answer.headers.etag).toBeUndefined();
    expect(answer.body).not.toContain(dir);
    expect(JSON.stringify(logged)).toContain(dir);
  });
});
