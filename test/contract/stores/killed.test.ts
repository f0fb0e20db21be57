import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { isSweep } from '../../setups/sweep.ts';
import { eachEngine, opened } from './engines.ts';

/** How many lines a program may write before it is killed: at its first steps, and where all stores are in use. */
const KILLED_AFTER = isSweep ? [1, 60, 200] : [1, 60];
const KINDS = ['issued', 'revoked', 'counted', 'logged', 'signed'] as const;
type Acknowledged = Record<(typeof KINDS)[number], (string | number)[]>;
/** What a program may have begun, and not acknowledged, when it is killed. */
const UNDER_WAY = { logged: 4, counted: 1, issued: 1 };

/** Runs a program on all stores, and kills it. Resolves to what it had acknowledged, added to what came before. */
async function runAndKill(place: string, program: number, all: Acknowledged): Promise<void> {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'program-child.ts'), place, `${program}`],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const lines: string[] = [];
  const used = new Set<string>();
  for await (const line of createInterface({ input: child.stdout! })) {
    lines.push(line);
    used.add(JSON.parse(line)[0]);
    const isInUse = program === 0 || used.size === KINDS.length;
    if (isInUse && lines.length >= KILLED_AFTER[program]!) child.kill('SIGKILL');
  }
  expect((await ended)[1]).toBe('SIGKILL');
  for (const line of lines) {
    const [what, value] = JSON.parse(line) as [keyof Acknowledged, string | number];
    all[what].push(value);
  }
}

eachEngine('what was acknowledged', ({ newPlace }) => {
  test('is there after kill -9, again and again; and hardly more is', async () => {
    const place = await newPlace();
    const all: Acknowledged = { issued: [], revoked: [], counted: [], logged: [], signed: [] };
    for (const program of KILLED_AFTER.keys()) await runAndKill(place, program, all);
    const { keys, counts, log, publisher } = await opened(place);
    const listed = await keys.list();
    const ended = new Set(listed.filter(({ revoked_at }) => revoked_at !== null).map(({ id }) => id));
    expect(all.revoked.filter((id) => !ended.has(`${id}`))).toEqual([]);
    const working = new Set(listed.filter(({ delivered_at }) => delivered_at !== null).map(({ id }) => id));
    expect(working.size - all.issued.length).toBeLessThanOrEqual(KILLED_AFTER.length * UNDER_WAY.issued);
    let refused = 0;
    for (const key of all.issued)
      if ((await keys.open(`${key}`, 'economy')).result !== 'admitted') refused += 1;
    expect(refused).toBe(ended.size);

    // Nothing is given out twice, and at most what was under way was counted and not answered.
    expect(new Set(all.counted).size).toBe(all.counted.length);
    const used = 1_000_000 - (await counts.take({ holder: 'h_all' }, 1_000_000))! - 1;
    expect(used).toBeGreaterThanOrEqual(all.counted.length);
    expect(used - all.counted.length).toBeLessThanOrEqual(KILLED_AFTER.length * UNDER_WAY.counted);

    expect(await log.verify()).toMatchObject({ faults: [] });
    const entries = (await log.export('ndjson')).split('\n').filter(Boolean);
    const logged = new Set(entries.map((line) => JSON.parse(line).request_id));
    expect(all.logged.filter((id) => !logged.has(id))).toEqual([]);
    expect(logged.size).toBe(entries.length);
    expect(entries.length - all.logged.length).toBeLessThanOrEqual(KILLED_AFTER.length * UNDER_WAY.logged);

    const versions = all.signed.map(Number);
    expect(versions).toEqual([...new Set(versions)].sort((one, other) => one - other));
    const last = (await publisher(null).last())!.version;
    expect(last).toBeGreaterThanOrEqual(versions.at(-1)!);
  });
});
