import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EventDraft } from '../../pipeline/ledger/draft.ts';
import { LedgerWriter } from '../../pipeline/ledger/ledger-writer.ts';
import { formatVerifierKey } from '../../pipeline/ledger/note.ts';
import { signer } from '../ledger/test-signer.ts';
import { RunningCli, runHere } from './run-cli.ts';

const NOW = Date.parse('2026-10-02T00:00:00Z');
const folder = mkdtempSync(join(tmpdir(), 'cathedral-append-'));
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
const mii = (time: string | null, value: unknown, more: object = {}) => ({
  ...(time !== null && { timestamp: at(time) }),
  type: 'mii_reading',
  agent: 'ATLAS',
  data: { mii: value },
  ...more,
});
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
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const flags = () => [`--ledger=${ledger}`, `--ledger-key=${join(folder, 'ledger.vkey')}`, '--wait=120'];
const append = (paths: string[], ...more: string[]) =>
  runHere('ledger append', [...paths, ...flags(), ...more], { now: () => NOW });

describe('ledger append', () => {
  test('appends several files as one batch, and fills in what is missing', async () => {
    await refill();
    const one = file('a.ndjson', ndjson(mii('06:00:00', 0.9), mii('07:00:00+01:00'.slice(0, 8), 0.91)));
    const two = file('b.csv', '\ufefftype;agent;data.mii\r\nmii_reading;ATLAS;0.92\r\n');
    const { status, stdout, stderr } = await append([one, two]);
    expect(stderr).not.toContain('warning');
    expect(stdout).toBe('3 events appended: seq 2 to 4, 2026-10-01T06:00:00Z to 2026-10-02T00:00:00Z\n');
    expect(status).toBe(0);
    const last = JSON.parse(head().trimEnd().split('\n').at(-1)!);
    expect(last).toMatchObject({
      seq: 4,
      cycle: 'C-456',
      timestamp: '2026-10-02T00:00:00Z',
      data: { mii: 0.92 },
    });
  });

  test('sorts a batch by time if asked, and otherwise names both lines', async () => {
    await refill();
    const events = [mii('07:00:00.5', 0.3), mii('06:00:00', 0.1), mii(null, 0.4), mii('07:00:00.25', 0.2)];
    const path = file('unsorted.ndjson', ndjson(...events));
    const refused = await append([path]);
    expect(refused.stderr).toContain(
      'error: unsorted.ndjson:2: expected timestamp to be at or after 2026-10-01T07:00:00.5Z, that of unsorted.ndjson:1 (--sort sorts a batch by time), found 2026-10-01T06:00:00Z (ledger_order)',
    );
    expect((await append([path, '--sort', '--json'])).status).toBe(0);
    const values = head()
      .trimEnd()
      .split('\n')
      .slice(START.length)
      .map((line) => JSON.parse(line).data.mii);
    expect(values).toEqual([0.1, 0.2, 0.3, 0.4]);
  });

  test('says as JSON what it appended', async () => {
    await refill();
    const { stdout } = await append([file('a.json', JSON.stringify([mii('06:00:00', 0.9)]))], '--json');
    expect(JSON.parse(stdout)).toEqual({
      ledger,
      dry_run: false,
      appended: 1,
      left_out: 0,
      errors: 0,
      warnings: 0,
      first: { seq: 2, timestamp: at('06:00:00') },
      last: { seq: 2, timestamp: at('06:00:00') },
      findings: [],
    });
  });

  test('lists the first errors of a batch and counts the others', async () => {
    await refill();
    const before = head();
    const events = Array.from({ length: 30 }, (_, index) => mii(null, index === 7 ? 0.5 : `${index}`));
    const { status, stderr, stdout } = await append([file('many.ndjson', ndjson(...events))]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr.match(/^error: /gm)).toHaveLength(20);
    expect(stderr).toContain('and 9 more errors\n29 errors: nothing is appended\n');
    expect(head()).toBe(before);
  });

  test('refuses a file that was appended before, also where its times are those of the last event', async () => {
    await refill();
    const twice = mii('06:00:00', 0.5);
    // More lines of one moment than one read of the head has.
    const many = Array.from({ length: 3000 }, (_, index) =>
      mii('06:00:00', 0.5, { data: { mii: 0.5, index } }),
    );
    const first = file('first.ndjson', ndjson(mii('05:00:00', 0.5), twice, ...many, twice));
    expect((await append([first])).status).toBe(0);
    const before = head();
    const again = await append([first]);
    expect(again.status).toBe(1);
    expect(again.stderr).toContain(
      'first.ndjson:2: expected an event that the ledger has not, found the same as event ',
    );
    expect(again.stderr).toContain('\n3,003 errors: nothing is appended\n');
    expect(head()).toBe(before);
    const other = file('other.ndjson', ndjson(mii('06:00:00', 0.6), mii('07:00:00', 0.5), mii(null, 0.5)));
    expect((await append([other])).status).toBe(0);
  });

  test('warns about probable mistakes and contradictions, which --strict refuses', async () => {
    await refill();
    const before = head();
    const mint = {
      sentinel: 'HERMES',
      cathedral: 'FOR-GOVERNMENTS',
      coordination_score: 50,
      multiplier: 1,
      amount: '7',
    };
    const decision = {
      decision: 'index.html',
      topic: '',
      frameworks_applied: [],
      sentinels_involved: [],
      reasoning: '',
      outcome: '',
      lessons_learned: '',
    };
    const path = file(
      'odd.ndjson',
      ndjson(
        { type: 'mint', agent: 'ATLAS', data: {} },
        { type: 'mint', agent: 'ATLAS', data: {} },
        mii('06:00:00', 0.5, { cycle: 'C-7' }),
        { type: 'mic_mint', agent: 'MINT', data: mint },
        { type: 'decision_recorded', agent: 'ATLAS', data: decision },
        { type: 'decision_recorded', agent: 'ATLAS', data: decision },
      )
        .replace('{"type":"mint"', '{"timestamp":"2026-10-01T05:00:00Z","type":"mint"')
        .replace('\n{"type":"mint"', '\n{"timestamp":"2026-10-01T05:00:00Z","type":"mint"'),
    );
    const WARNINGS = [
      'odd.ndjson:1: expected the type mic_mint, found mint, which the service does not know (2 times) (type)',
      'odd.ndjson:3: expected cycle C-455, the day of 2026-10-01T06:00:00Z, found C-7 (cycle)',
      'odd.ndjson:5: expected data.decision to be an id that can be part of an address, found "index.html" (2 times) (id)',
    ];
    const CONTRADICTIONS = [
      'odd.ndjson:4: 7 MIC minted, but the reward formula gives',
      'odd.ndjson:4: mint for HERMES, which is not registered',
      'odd.ndjson:6: decision index.html exists already (fold)',
    ];
    const dry = await append([path], '--dry-run');
    expect(dry.status).toBe(0);
    expect(dry.stdout).toMatch(/^6 events could be appended: seq 2 to 7, /);
    for (const text of [...WARNINGS, ...CONTRADICTIONS]) expect(dry.stderr).toContain(`warning: ${text}`);
    expect(head()).toBe(before);
    const strict = await append([path], '--strict');
    expect(strict.status).toBe(1);
    expect(strict.stderr).toContain('error: odd.ndjson:1: expected the type mic_mint, found mint');
    expect(strict.stderr).toContain(
      'error: odd.ndjson:4: expected an event that contradicts no other, found 7 MIC minted',
    );
    expect(head()).toBe(before);
    const plain = await append([path]);
    expect(plain.status).toBe(0);
    for (const text of WARNINGS) expect(plain.stderr).toContain(`warning: ${text}`);
    expect(plain.stderr).not.toContain('(fold)');
  });
});

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

test('several tables become one batch by time, each with its own mapping', async () => {
  await refill();
  const page = readFileSync(join(import.meta.dirname, '../../docs/mapping.md'), 'utf8');
  const mappings = mkdtempSync(join(folder, 'mappings-'));
  const tables: string[] = [];
  for (const [, name, text] of page.matchAll(/```\w+ file=(\S+)\n(.*?)```/gs)) {
    if (name!.endsWith('.csv')) tables.push(file(name!, text!));
    else writeFileSync(join(mappings, name!), text!);
  }
  const now = () => Date.parse('2026-10-03T00:00:00Z');
  const run = () =>
    runHere('ledger append', [...tables, `--mapping=${mappings}`, ...flags(), '--sort'], { now });
  expect((await run()).stdout).toMatch(
    /^14 events appended: seq 2 to 15, .*; 1 row left out by the mapping\n$/,
  );
  const agents = head()
    .trimEnd()
    .split('\n')
    .slice(START.length)
    .map((line) => JSON.parse(line).agent);
  const days = ['CLERK Smith Jones CLERK ATLAS HERMES CHAIR ATLAS HERMES CHAIR', 'CLERK Jones CLERK ATLAS'];
  expect(agents.join(' ')).toBe(days.join(' '));
  rmSync(join(mappings, 'votes.json'));
  expect((await run()).stderr).toContain('votes.json: expected a readable mapping file, found ENOENT');
});

describe('nothing is appended, and the message names the place, for', () => {
  beforeAll(refill);
  const GOOD = ndjson(mii('06:00:00', 0.9));
  const table = (...rows: string[]) => ['timestamp;type;agent;data.mii', ...rows, ''].join('\r\n');
  const CASES: [what: string, name: string, content: string | Buffer, message: string][] = [
    [
      'a value of a wrong type',
      'x.ndjson',
      `${GOOD}${ndjson(mii('07:00:00', '0.9'))}`,
      'x.ndjson:2: expected data.mii to be a number, found "0.9" (ledger_schema)',
    ],
    [
      'a number for an amount',
      'x.ndjson',
      ndjson({ type: 'mic_burn', agent: 'A', data: { amount: 12.5, reason: 'x' } }),
      'x.ndjson:1: expected data.amount to be a string, found 12.5',
    ],
    [
      'a wrong value in a cell',
      'x.csv',
      table('2026-10-01T06:00:00Z;mii_reading;ATLAS;1.5'),
      'x.csv:2, column data.mii: expected data.mii to be at most 1, found 1.5',
    ],
    [
      'an event before the last one of the ledger',
      'x.ndjson',
      ndjson(mii(null, 0.9, { timestamp: '2026-09-30T00:00:00Z' })),
      'x.ndjson:1: expected timestamp to be at or after 2026-10-01T00:00:00Z, the time of the previous event or the end of the last sealed slot, found 2026-09-30T00:00:00Z (ledger_order)',
    ],
    [
      'time that goes backwards',
      'x.csv',
      table('2026-10-01T07:00:00Z;mii_reading;ATLAS;1', '2026-10-01T06:00:00Z;mii_reading;ATLAS;1'),
      'x.csv:3, column timestamp: expected timestamp to be at or after 2026-10-01T07:00:00Z, that of x.csv:2',
    ],
    [
      'a future event',
      'x.ndjson',
      ndjson(mii(null, 0.9, { timestamp: '2027-01-01T00:00:00Z' })),
      'x.ndjson:1: expected timestamp to be at most 5 minutes after the clock',
    ],
    [
      'a wrong seq',
      'x.ndjson',
      ndjson(mii(null, 0.9, { seq: 9 })),
      'x.ndjson:1: expected seq 2, or none, found seq 9',
    ],
    ['a second genesis', 'x.ndjson', ndjson(START[0]!), 'x.ndjson:1: expected another type than genesis'],
    [
      'an id twice',
      'x.ndjson',
      ndjson(mii('06:00:00', 1, { id: 'r1' }), mii('06:00:00', 1, { id: 'r1' })),
      'x.ndjson:2: expected each id once, found "r1", which x.ndjson:1 has',
    ],
    [
      'an id that is a formula',
      'x.ndjson',
      ndjson({ type: 'alert_cleared', agent: 'A', data: { alert: '=cmd' } }),
      'x.ndjson:1: expected data.alert to be a name that begins with none of = + - @',
    ],
    [
      'a type in upper case',
      'x.ndjson',
      ndjson({ type: 'MINT', agent: 'A', data: {} }),
      'x.ndjson:1: expected type to be a snake_case token, found "MINT"',
    ],
    [
      'no type',
      'x.ndjson',
      ndjson({ agent: 'A', data: {} }),
      'x.ndjson:1: expected type to be a string, found nothing',
    ],
    [
      'a line of 10 MB',
      'x.ndjson',
      `${GOOD}${ndjson({ type: 'a', agent: 'x'.repeat(10e6), data: {} })}${GOOD}`,
      'x.ndjson:2: expected at most 1 MiB in one line',
    ],
    [
      'an event of 100 kB',
      'x.ndjson',
      `${GOOD}${ndjson({ type: 'a', agent: 'A', data: { text: 'x'.repeat(1e5) } })}`,
      'x.ndjson:2: expected an event whose line has at most 65535 bytes, found 100',
    ],
    [
      'NaN',
      'x.ndjson',
      `${GOOD}{"type":"mii_reading","agent":"ATLAS","data":{"mii":NaN}}\n`,
      'x.ndjson:2: expected JSON, which has no such value: leave the member out, found NaN',
    ],
    [
      'broken JSON after a good start',
      'x.json',
      `[${JSON.stringify(mii('06:00:00', 1))},\n{]`,
      'x.json:2: expected JSON',
    ],
    [
      'Latin-1',
      'x.csv',
      Buffer.from(table('2026-10-01T06:00:00Z;mii_reading;Müller;1'), 'latin1'),
      'x.csv:2: expected UTF-8: export it as “CSV UTF-8”',
    ],
    [
      'a decimal comma',
      'x.csv',
      table('2026-10-01T06:00:00Z;mii_reading;ATLAS;0,9'),
      'x.csv:2, column data.mii: expected data.mii to be a number like 1.5, or "decimal": ","',
    ],
    [
      'the day number of Excel',
      'x.csv',
      table('46296.25;mii_reading;ATLAS;0.9'),
      'x.csv:2, column timestamp: expected timestamp to be a UTC time like 2026-10-01T06:00:00Z; for the day numbers of Excel',
    ],
    [
      'a date that can be read in two ways',
      'x.csv',
      table('01/02/2026;mii_reading;ATLAS;0.9'),
      'which may be read in two ways, a "format" and a "zone"',
    ],
    [
      'a local time',
      'x.csv',
      table('2026-10-01 08:00;mii_reading;ATLAS;0.9'),
      'a time with Z or an offset from UTC, or a "zone" in the mapping file',
    ],
    [
      'a row of null',
      'x.ndjson',
      ndjson({ type: null, agent: null, data: null }),
      'x.ndjson:1: expected type to be a string, found null',
    ],
    ['a workbook', 'x.csv', Buffer.from('PK\u0003\u0004....'), 'x.csv: expected text, found a workbook'],
    [
      'an unknown column',
      'x.csv',
      'type;agent;Bemerkung\n',
      'x.csv:1: expected one of the columns id, timestamp',
    ],
  ];

  test.for(CASES)('%s', async ([, name, content, message]) => {
    const before = head();
    const { status, stderr, stdout } = await append([file(name, content)]);
    expect(stderr).toContain(message);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(head()).toBe(before);
  });

  test('each of them, as messages that differ', () => {
    const messages = CASES.map(([, , , message]) => message);
    expect(new Set(messages).size).toBe(messages.length);
  });

  test('a missing file, and a mapping without sense', async () => {
    const before = head();
    expect((await append([join(folder, 'none.csv')])).stderr).toContain(
      'none.csv: expected a readable file, found ENOENT (ledger_unreadable)',
    );
    const mapping = file('mapping.json', '{"type": {"constant": "a"}, "agent": 7, "data": {}}');
    const { stderr } = await append([file('x.csv', 'a\n1\n')], `--mapping=${mapping}`);
    expect(stderr).toContain('mapping.json#/agent: expected');
    expect(head()).toBe(before);
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
  const victim = start(batch('victim', 300_000));
  // It has written part of its batch, or waits for the lock, or is done: nothing of it may be seen, or all of it.
  const killed = (async () => {
    while (!existsSync(join(ledger, 'head.ndjson.tmp')) && victim.child.exitCode === null) await sleep(5);
    victim.child.kill('SIGKILL');
    return victim.finished();
  })();
  const others = ['a', 'b'].map((name) => start(batch(name, 500)));
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
  expect((await done).map(({ status }) => status)).toEqual([0, 0, 0]);
  const { status } = await killed;
  const counts = countsIn(head());
  for (const name of ['a', 'b', 'c']) expect(counts.get(name)).toBe(500);
  // The kill may have come just after its batch was in place.
  expect(counts.get('victim') ?? 0).toBeOneOf(status === 0 ? [300_000] : [0, 300_000]);
  expect([...seen].filter((count) => ![1, 500, 300_000].includes(count))).toEqual([]);
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
