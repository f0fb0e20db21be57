import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import type { EventDraft } from '../../pipeline/ledger/events/draft.ts';
import { formatVerifierKey } from '../../pipeline/ledger/notes/note.ts';
import { LedgerWriter } from '../../pipeline/ledger/writing/ledger-writer.ts';
import { RunningCli, runHere } from '../contract/commands/seam.ts';
import { signer } from '../ledger/test-signer.ts';
import { useFolder } from '../setups/use-folder.ts';

const folder = useFolder();
const ledger = join(folder, 'ledger');
const head = () => readFileSync(join(ledger, 'head.ndjson'), 'utf8');
const file = (name: string, content: string | Buffer) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const START: EventDraft[] = [
  { type: 'genesis', agent: 'LEDGER', data: { allocation: '1000', multipliers: { 'FOR-GOVERNMENTS': 1.5 } } },
  { type: 'sentinel_registered', agent: 'LEDGER', data: { sentinel: 'ATLAS', cathedral: 'FOR-GOVERNMENTS' } },
];
const at = (time: string) => `2026-10-01T${time}Z`;
const ndjson = (...events: object[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');

async function refill(): Promise<void> {
  rmSync(ledger, { recursive: true, force: true });
  mkdirSync(join(ledger, 'snapshots'), { recursive: true });
  const options = {
    verifiers: [signer.verifier],
    now: () => Date.parse(at('00:00:00')),
    waitMs: 0,
    holder: 'a test',
  };
  const writer = await LedgerWriter.open(ledger, options);
  await writer.append(START);
  writer.close();
}

beforeAll(async () => {
  file('ledger.vkey', `${formatVerifierKey(signer.verifier)}\n`);
  await refill();
});

const flags = () => [`--ledger=${ledger}`, `--ledger-key=${join(folder, 'ledger.vkey')}`, '--wait=120'];

describe('the examples of docs/mapping.md', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/mapping.md'), 'utf8');
  const blocks = new Map(
    [...page.matchAll(/```\w+ file=(\S+)\n(.*?)```/gs)].map(([, name, text]) => [name!, text!] as const),
  );

  test.for([
    ['nachweise', 3, 0, { agent: 'ATLAS', type: 'attestation', timestamp: '2026-10-02T06:30:00Z' }],
    ['council', 7, 0, { agent: 'CLERK', type: 'mic_burn', timestamp: '2026-10-02T00:00:00Z' }],
    ['votes', 4, 1, { agent: 'CHAIR', type: 'deliberation_closed', timestamp: '2026-10-01T08:00:00Z' }],
  ] as const)('%s', async ([name, events, leftOut, last]) => {
    await refill();
    const table = file(`${name}.csv`, blocks.get(`${name}.csv`)!);
    const mapping = file(`${name}.json`, blocks.get(`${name}.json`)!);
    const now = () => Date.parse('2026-10-03T00:00:00Z');
    const args = [table, `--mapping=${mapping}`, ...flags(), '--json'];
    const { status, stdout } = await runHere('ledger append', args, { now });
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ appended: events, left_out: leftOut, warnings: 0 });
    expect(JSON.parse(head().trimEnd().split('\n').at(-1)!)).toMatchObject(last);
  });
});

test('several processes append at once while one is killed, and a reader sees only whole batches', async () => {
  await refill();
  const batch = (name: string, count: number) => {
    const lines = Array.from({ length: count }, (_, index) =>
      ndjson({ timestamp: at('08:00:00'), type: 'note', agent: name, data: { index } }),
    );
    return file(name, lines.join(''));
  };
  const start = (path: string) => new RunningCli(['ledger', 'append', path, ...flags()]);
  const victim = start(batch('victim', 60_000));
  // It has written part of its batch, or waits for the lock, or is done: nothing of it may be seen, or all of it.
  const killed = (async () => {
    while (!existsSync(join(ledger, 'head.ndjson.tmp')) && victim.child.exitCode === null) await sleep(5);
    victim.child.kill('SIGKILL');
    return victim.finished();
  })();
  const others = ['a'].map((name) => start(batch(name, 500)));
  const piped = start('-');
  piped.child.stdin!.end(readFileSync(batch('c', 500)));
  const seen = new Set<number>();
  const done = Promise.all([...others, piped].map((one) => one.finished()));
  let isDone = false;
  void done.then(() => {
    isDone = true;
  });
  while (!isDone) {
    for (const count of countsIn(head()).values()) seen.add(count);
    await sleep(20);
  }
  expect((await done).map(({ status }) => status)).toEqual([0, 0]);
  const { status } = await killed;
  const counts = countsIn(head());
  for (const name of ['a', 'c']) expect(counts.get(name)).toBe(500);
  // The kill may have come just after its batch was in place.
  expect(counts.get('victim') ?? 0).toBeOneOf(status === 0 ? [60_000] : [0, 60_000]);
  expect([...seen].filter((count) => ![1, 500, 60_000].includes(count))).toEqual([]);
  const seqs = head()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).seq);
  expect(seqs).toEqual(seqs.map((_, index) => index));
});

/** Agent → number of its events. */
function countsIn(lines: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [, agent] of lines.matchAll(/"type":"note","agent":"(\w+)"/g))
    counts.set(agent!, (counts.get(agent!) ?? 0) + 1);
  return counts;
}
