import { describe, expect, test } from 'vitest';
import { GroupCommit } from '../../../src/sidecar/storage/group-commit.ts';
import { failureOf } from '../../release/temporary-folder.ts';

describe('a group commit', () => {
  test('writes together what comes in one turn, and answers each in its order', async () => {
    const batches: number[][] = [];
    const group = new GroupCommit<number, string>({
      commit: async (items) => {
        batches.push([...items]);
        return items.map((item) => `wrote ${item}`);
      },
    });
    const answers = await Promise.all([1, 2, 3].map((item) => group.add(item)));
    expect(answers).toEqual(['wrote 1', 'wrote 2', 'wrote 3']);
    expect(await group.add(4)).toBe('wrote 4');
    expect(batches).toEqual([[1, 2, 3], [4]]);
  });

  test('writes what comes during a transaction in the next one, and never two at once', async () => {
    const batches: number[][] = [];
    let running = 0;
    const group = new GroupCommit<number, number>({
      commit: async (items) => {
        running += 1;
        expect(running).toBe(1);
        batches.push([...items]);
        if (items[0] === 1) more = [2, 3].map((item) => group.add(item));
        await new Promise((resolve) => setTimeout(resolve, 5));
        running -= 1;
        return items;
      },
    });
    let more: Promise<number>[] = [];
    await group.add(1);
    expect(await Promise.all(more)).toEqual([2, 3]);
    expect(batches).toEqual([[1], [2, 3]]);
  });

  test('fails everything in a transaction that failed, and nothing after it', async () => {
    const group = new GroupCommit<string, string>({
      commit: async (items) => {
        if (items.includes('bad')) throw new Error('disk full');
        return items;
      },
    });
    const results = await Promise.allSettled([group.add('good'), group.add('bad')]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await group.add('good')).toBe('good');
  });

  test('refuses what is too much to wait', async () => {
    const group = new GroupCommit<number, number>({ commit: async (items) => items, maxWaiting: 2 });
    const waiting = [group.add(1), group.add(2)];
    expect(await failureOf(() => group.add(3))).toMatchObject({
      code: 'overloaded',
      headers: { 'Retry-After': '5' },
    });
    expect(await Promise.all(waiting)).toEqual([1, 2]);
  });

  test('has as many transactions under way as it may, and waits for all of them', async () => {
    const open: (() => void)[] = [];
    const group = new GroupCommit<number, number>({
      parallel: 2,
      commit: async (items) => {
        await new Promise<void>((resolve) => open.push(resolve));
        return items;
      },
    });
    const turn = () => new Promise((resolve) => setTimeout(resolve, 5));
    const added = [];
    for (const item of [1, 2, 3, 4]) {
      added.push(group.add(item));
      await turn();
    }
    expect(open).toHaveLength(2);
    const idle = group.idle();
    open[1]!();
    await turn();
    expect([open.length, await added[1]]).toEqual([3, 2]);
    for (const end of open) end();
    await idle;
    expect(await Promise.all(added)).toEqual([1, 2, 3, 4]);
  });
});
