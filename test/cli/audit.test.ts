import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { micHistory } from '../../pipeline/artifacts/economy/mic-history.ts';
import { formatCheckpoint } from '../../pipeline/ledger/checkpoint.ts';
import type { LedgerEvent } from '../../pipeline/ledger/event.ts';
import { formatEventLine } from '../../pipeline/ledger/event-line.ts';
import { CompactRange, leafHash } from '../../pipeline/ledger/merkle.ts';
import { formatVerifierKey, signNote } from '../../pipeline/ledger/note.ts';
import { createLogFiles } from '../../src/sidecar/files/log-files.ts';
import { issueKey } from '../../src/sidecar/keys/issue-key.ts';
import { signer } from '../ledger/test-signer.ts';
import { PUBLISHER } from '../mirror/small-service.ts';
import { publishTiny } from '../release/publish-tiny.ts';
import { GOVERNMENT } from '../sidecar/keys/tiny-key-services.ts';
import { tinyApp } from '../sidecar/tiny-app.ts';
import {
  EVENTS,
  events,
  fileOf,
  hashOf,
  publishSmallLog,
  rowsOf,
  VERIFIERS,
} from '../verify/audit/small-log.ts';
import { runCli, runWords } from './run-cli.ts';

let folder: string;
let out: string;
let where: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cathedral-audit-cli-'));
  out = join(folder, 'out');
  await publishTiny(out, { events: 5 });
  await publishSmallLog(join(folder, 'ledger'), out);
  const key = join(folder, 'ledger.vkey');
  await writeFile(key, `${formatVerifierKey(VERIFIERS[0]!)}\n`);
  where = ['--out', out, '--ledger-key', key];
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function fileWith(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

const keyFlags = () => where.slice(2);

describe('cathedral prove-row', () => {
  const [header, ...mints] = [
    micHistory.head(),
    ...events.toReversed().flatMap((event) => micHistory.rows({ event, hash: '' })),
  ];
  const historyOf = (rows: readonly string[]) => [header, ...rows].join('');

  test('proves a file, names what differs, and says what cannot be checked', async () => {
    const file = await fileWith('mic-history.csv', historyOf(mints));
    const good = await runCli(['prove-row', file, ...where]);
    expect(good.status).toBe(0);
    expect(good.stdout).toContain(`${mints.length} rows of ${mints.length} follow from the log.`);
    const edited = await fileWith('edited.csv', historyOf(mints.with(3, mints[3]!.replace(/,12\./, ',13.'))));
    const bad = await runWords(['prove-row', edited, '--path', 'economy/mic-history.csv', ...where]);
    expect(bad.status).toBe(1);
    expect(bad.stdout).toMatch(
      /^.*edited\.csv:5: edited: amount of event \d+, .*: the log gives 12\.345678, the row has 13\./,
    );
    const other = await fileWith('other.csv', 'timestamp,cycle,sentinel,amount,cathedral,score\n');
    const json = await runWords(['prove-row', other, '--json', ...where]);
    expect([json.status, JSON.parse(json.stdout)]).toMatchObject([
      3,
      { verdict: 'cannot_be_checked', size: EVENTS },
    ]);
  });

  test('proves a row step by step, and prints the proof of its event', async () => {
    const at = events.findIndex(({ type }) => type === 'mic_mint');
    const [mint] = micHistory.rows({ event: events[at]!, hash: '' }) as [string];
    const good = await runWords(['prove-row', mint.trim(), ...where]);
    expect([good.status, good.stderr]).toEqual([0, '']);
    for (const line of ['Row: ', 'Signatures: ', `Event ${at}, 0x`, 'The row is proved.'])
      expect(good.stdout).toContain(line);
    const { stdout: proof } = await runWords(['prove-row', mint.trim(), '--print-proof', ...where]);
    const file = await fileWith('row.tlog-proof', proof);
    const event = `0x${hashOf(events[at]!)}`;
    expect((await runWords(['verify-proof', file, '--event', event, ...keyFlags()])).status).toBe(0);
    const bad = await runWords(['prove-row', mint.trim().replace(/,12\./, ',13.'), ...where]);
    expect(bad.status).toBe(1);
    expect(bad.stdout).toMatch(/column amount: expected 12\.345678, found 13\.345678\nThe row does not hold/);
    const open = await runWords(['prove-row', '2025-07-03,1,1,1,1', '--json', ...where]);
    expect([open.status, JSON.parse(open.stdout)]).toMatchObject([3, { reason: 'follows_from_more' }]);
    const whole = await runWords([
      'prove-row',
      await fileWith('a.csv', historyOf(mints)),
      '--print-proof',
      ...where,
    ]);
    expect([whole.status, whole.stderr]).toEqual([2, expect.stringContaining('a row in place of a file')]);
  });

  test('takes an event, too', async () => {
    const { status, stdout } = await runWords(['prove-row', `${events.length - 1}`, ...where]);
    expect([status, stdout]).toEqual([0, expect.stringContaining('The event is in the log.')]);
  });

  test.each([
    [['prove-row'], 'ROW: expected a file'],
    [['prove-row', 'missing.csv'], 'expected a file on this machine, the path of a public history, or a row'],
    [['prove-row', '0'.repeat(64)], '`cathedral prove` makes a proof'],
  ])('%j is wrong use', async (args, message) => {
    const { status, stderr } = await runWords([...args, ...(args.length > 1 ? where : [])]);
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('cathedral prove', () => {
  test('prints a proof that verify-proof accepts for that event only', async () => {
    const event = `0x${hashOf(events[123]!)}`;
    const proved = await runCli(['prove', event, ...where]);
    expect([proved.status, proved.stderr]).toEqual([0, '']);
    expect(proved.stdout).toMatch(/^c2sp\.org\/tlog-proof@v1\nindex 123\n/);
    const fromLedger = await runWords(['prove', event, '--ledger', join(folder, 'ledger'), ...keyFlags()]);
    expect(fromLedger.stdout).toBe(proved.stdout);
    const file = await fileWith('a.tlog-proof', proved.stdout);
    const good = await runWords(['verify-proof', file, '--event', event, ...keyFlags()]);
    expect([good.status, good.stdout]).toEqual([0, expect.stringContaining(`${event} is number 123`)]);
    const json = await runWords(['verify-proof', file, '--event', event, '--json', ...keyFlags()]);
    expect(JSON.parse(json.stdout)).toMatchObject({ valid: true, index: 123, size: EVENTS });
    const other = `0x${hashOf(events[124]!)}`;
    const bad = await runWords(['verify-proof', file, '--event', other, ...keyFlags()]);
    expect([bad.status, bad.stdout]).toEqual([1, '']);
    expect(bad.stderr).toContain('hashes that lead elsewhere (log_invalid)');
  });

  test.each([
    [['prove'], 'EVENT: expected an attestation_hash'],
    [['prove', 'me'], 'EVENT: expected an attestation_hash'],
    [['prove', '0'.repeat(64), 'again'], 'again: expected a flag'],
    [['verify-proof', '--json'], 'PROOF: expected a file'],
    [['verify-export', '--from=1'], 'EXPORT: expected a file'],
  ])('%j is wrong use', async (args, message) => {
    const { status, stderr } = await runWords(args);
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  test('of an event that is not in the log fails', async () => {
    const { status, stderr } = await runWords(['prove', '0'.repeat(64), ...where]);
    expect([status, stderr]).toEqual([1, expect.stringContaining('(proof_refused)')]);
  });
});

describe('cathedral verify-export', () => {
  test('reports a complete export, with the number of entries in its period', async () => {
    const file = await fileWith('whole.csv', fileOf('csv', rowsOf('csv')));
    const { status, stdout } = await runWords(['verify-export', file, ...where]);
    expect(status).toBe(0);
    expect(stdout).toContain(`The log has ${EVENTS} events from ${events[0]!.timestamp}`);
    expect(stdout).toContain('The export is complete');
    expect(stdout).toContain('Give --from and --to');
  });

  test('names a removed row by its line, as text and as JSON', async () => {
    const file = await fileWith('short.ndjson', fileOf('ndjson', rowsOf('ndjson').toSpliced(41, 1)));
    const words = await runCli(['verify-export', file, ...where]);
    expect(words.status).toBe(1);
    expect(words.stdout).toContain(`${file}:42: missing: event ${EVENTS - 42} of the log`);
    const { status, stdout } = await runWords(['verify-export', file, '--json', ...where]);
    expect([status, JSON.parse(stdout)]).toMatchObject([
      1,
      { valid: false, rows: EVENTS - 1, entries: EVENTS, faults: [{ line: 42, kind: 'missing' }] },
    ]);
  });

  test('takes period and filter from a JSON file or from flags', async () => {
    const date = events[0]!.timestamp.slice(0, 10);
    const head = { from: date, to: date, filter: 'event_type==mic_mint' };
    const mints = rowsOf(
      'json',
      events.filter(({ type }) => type === 'mic_mint'),
    );
    const file = await fileWith('mints.json', fileOf('json', mints, head));
    const good = await runWords(['verify-export', file, ...where]);
    expect([good.status, good.stdout]).toEqual([
      0,
      expect.stringContaining(`${mints.length} events that pass the filter`),
    ]);
    expect(good.stdout).not.toContain('say --from');
    const less = await fileWith('less.json', fileOf('json', mints.slice(1), head));
    expect((await runWords(['verify-export', less, ...where])).status).toBe(1);
    const csv = await fileWith(
      'mints.csv',
      fileOf(
        'csv',
        rowsOf(
          'csv',
          events.filter(({ type }) => type === 'mic_mint'),
        ),
      ),
    );
    const flags = ['--from', date, '--to', date, '--filter', head.filter];
    expect((await runWords(['verify-export', csv, ...flags, ...where])).status).toBe(0);
    const unclear = await runWords(['verify-export', csv, '--filter', 'type=mint', ...where]);
    expect([unclear.status, unclear.stderr]).toEqual([2, expect.stringContaining('--filter: expected')]);
  });

  test('reads the log of a service with a government key, and is refused without one', async () => {
    const { app, keys } = await tinyApp(out, { asDiskErrors: true, services: { log: createLogFiles(out) } });
    await app.listen({ port: 0, host: '127.0.0.1' });
    const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
    const office = { store: keys, mailer: null, now: Date.now, randomBytes, baseUrl: url };
    const { key } = await issueKey({ ...GOVERNMENT, deliver: 'print' }, office);
    const file = await fileWith('served.csv', fileOf('csv', rowsOf('csv')));
    const args = ['verify-export', file, '--url', url, ...keyFlags()];
    expect((await runWords(args, { CATHEDRAL_GOVERNMENT_KEY: key! })).status).toBe(0);
    const refused = await runWords(args);
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('need a government key')]);
    const proved = await runWords(['prove', hashOf(events[9]!), '--url', url, ...keyFlags()]);
    expect(proved.status).toBe(0);
  });

  describe('against a checkpoint that was kept', () => {
    const kept = (size: number, change = (event: LedgerEvent) => event, by = signer) => {
      const range = new CompactRange();
      for (const event of events.slice(0, size))
        range.append(leafHash(Buffer.from(formatEventLine(change(event)))));
      const head = { origin: by.verifier.name, size, root: range.root() };
      return fileWith(`checkpoint-${size}`, signNote(formatCheckpoint(head), by));
    };
    const verified = async (checkpoint: string, ...more: string[]) => {
      const file = await fileWith('kept.csv', fileOf('csv', rowsOf('csv')));
      return runWords(['verify-export', file, '--checkpoint', checkpoint, ...more, ...where]);
    };

    test('says that the log extends it, as text and as JSON', async () => {
      for (const size of [1, 300, EVENTS]) {
        const checkpoint = await kept(size);
        const { status, stdout } = await verified(checkpoint);
        expect([status, stdout]).toEqual([
          0,
          expect.stringContaining(`It extends the ${size} events of ${checkpoint}.\n`),
        ]);
        const json = JSON.parse((await verified(checkpoint, '--json')).stdout);
        expect(json).toMatchObject({ valid: true, size: EVENTS, goesOnFrom: size });
      }
    });

    test('refuses an older log, a different log, and a checkpoint signed by another key', async () => {
      const other = (event: LedgerEvent) => (event.seq === 3 ? { ...event, agent: 'ZEUS' } : event);
      const longer = formatCheckpoint({
        origin: signer.verifier.name,
        size: EVENTS + 1,
        root: hashOf(events[0]!),
      });
      for (const [checkpoint, message] of [
        [
          await fileWith('longer', signNote(longer, signer)),
          `expected a log of ${EVENTS + 1} events or more, found ${EVENTS} (mirror_rollback)`,
        ],
        [await kept(300, other), 'which begin differently (mirror_forked)'],
        [await kept(299, undefined, PUBLISHER), '(ledger_signature)'],
        [await fileWith('none', 'no note'), '(ledger_corrupt)'],
      ] as const) {
        const { status, stdout, stderr } = await verified(checkpoint);
        expect([status, stdout]).toEqual([1, '']);
        expect(stderr).toContain(`${checkpoint}: `);
        expect(stderr).toContain(message);
      }
      const missing = await verified(join(folder, 'not-there'));
      expect([missing.status, missing.stderr]).toEqual([
        2,
        expect.stringContaining('--checkpoint: expected'),
      ]);
    });
  });

  test('of a missing file, or one that is not an export, fails with its name', async () => {
    for (const [file, message] of [
      [join(folder, 'nothing.csv'), 'ENOENT'],
      [await fileWith('notes.txt', 'hello\n'), 'the first line of an audited export'],
    ] as const) {
      const { status, stderr } = await runWords(['verify-export', file, ...where]);
      expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
    }
  });
});

test('text from a file cannot control the terminal', async () => {
  const rows = rowsOf('ndjson').map((row, at) => {
    const agent = '\u001b[2J\u001b[HThe export is whole\nThe export is whole\u009b8m';
    return at === 3 ? JSON.stringify({ ...JSON.parse(row), agent }) : row;
  });
  const file = await fileWith('terminal.ndjson', fileOf('ndjson', rows));
  const { status, stdout } = await runWords(['verify-export', file, ...where]);
  expect(status).toBe(1);
  expect(stdout).toContain('\\u{1b}[2J\\u{1b}[HThe export is whole\\u{a}The export is whole\\u{9b}8m');
  expect(stdout).not.toMatch(/[^\P{Cc}\n]/u);
  const missing = await runCli([
    'verify-proof',
    join(folder, '\u001b[2J'),
    '--event',
    `0x${hashOf(events[1]!)}`,
  ]);
  expect(missing).toMatchObject({ status: 1, stderr: expect.stringContaining('\\u{1b}[2J') });
});

test('an export of a period beyond the end of the log is complete with a note about that', async () => {
  const file = await fileWith('beyond.csv', fileOf('csv', rowsOf('csv')));
  const period = ['--from', '2000-01-01', '--to', '2100-01-01'];
  const { status, stdout } = await runWords(['verify-export', file, ...period, ...where]);
  expect(status).toBe(0);
  expect(stdout).toContain(`The log ends at ${events.at(-1)!.timestamp}, before the period does`);
});
