import { appendFile, copyFile, cp, mkdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LIVE_PATHS } from '../../../pipeline/artifacts/table.ts';
import { openDirectory } from '../../../pipeline/ledger/reading/directory.ts';
import { sha256 } from '../../../pipeline/release/format/manifest.ts';
import { readCurrent } from '../../../pipeline/release/format/release.ts';
import { writeSample } from '../../../pipeline/sample/write-sample.ts';
import { Releases, type ServedRelease } from '../../../src/sidecar/files/releases.ts';
import { LiveDocuments } from '../../../src/sidecar/live/live-documents.ts';
import { LiveState } from '../../../src/sidecar/live/live-state.ts';
import { BASE_URL, DOCUMENTS, type LiveLedger, liveLedger, START, VERIFIERS } from './live-ledger.ts';

interface Followed {
  state: LiveState;
  /** The reports, oldest first. */
  reports: string[];
  /** Every real-time file as it would be sent. */
  files: () => Record<string, string | undefined>;
}

/** Reads only when the test says so. */
function follow(
  { ledger, out }: Pick<LiveLedger, 'ledger' | 'out'>,
  releases: Pick<Releases, 'current'> = new Releases(out, () => {}),
): Followed {
  const reports: string[] = [];
  const report = (error: unknown) => void reports.push(String(error));
  const shown = new LiveDocuments(report);
  const options = {
    ledger,
    verifiers: VERIFIERS,
    releases,
    documents: DOCUMENTS,
    companions: null,
    baseUrl: BASE_URL,
  };
  const state = new LiveState({ ...options, shown, report });
  const files = () => Object.fromEntries(LIVE_PATHS.map((path) => [path, shown.document(path)?.text]));
  return { state, reports, files };
}

const head = ({ ledger }: LiveLedger) => join(ledger, 'head.ndjson');

async function newestSnapshot({ ledger }: LiveLedger) {
  return (await openDirectory(ledger).snapshots(null)).at(-1)!;
}

describe('the live state', () => {
  test('equals a rebuild byte for byte, throughout a day in which slots are sealed and releases published', async () => {
    const ledger = await liveLedger();
    const { state, reports, files } = follow(ledger);
    const snapshots = new Set<string>();
    const minutes = [1, 45, 130, 240, 3, 370, 55, 725, 5];
    for (const [step, passing] of minutes.entries()) {
      await ledger.advance(passing);
      if (step % 4 === 2) await ledger.publish();
      await state.update();
      expect(files()).toEqual(await ledger.rebuild());
      expect(state.fault).toBeNull();
      snapshots.add((await newestSnapshot(ledger)).id);
    }
    expect(snapshots.size).toBeGreaterThan(3);
    expect(reports).toEqual([]);
  });

  test('waits for the next run if an earlier version made the release', async () => {
    const ledger = await liveLedger();
    const { dir, manifest, state: old } = (await readCurrent(ledger.out))!;
    const text = JSON.stringify(old).replace(/cathedral-state\/\d+/, 'cathedral-state/0');
    await writeFile(join(dir, 'state.json'), text);
    const unlisted = [{ file: 'state.json', bytes: text.length, sha256: sha256(text) }];
    let release: unknown = { dir, manifest: { ...manifest, unlisted } };
    const releases = { current: async () => release as ServedRelease };
    const { state, reports, files } = follow(ledger, releases);
    await state.update();
    expect(state.fault).toBe('an earlier version made the release; the next run rebuilds it');
    expect(reports).toEqual([]);
    await writeFile(join(dir, 'state.json'), `${JSON.stringify(old)}\n`);
    release = { dir, manifest };
    await state.update();
    expect(state.fault).toBeNull();
    expect(files()).toEqual(await ledger.rebuild());
  });

  test('does not see a line before it is complete', async () => {
    const ledger = await liveLedger();
    const before = await readFile(head(ledger));
    await ledger.advance(60);
    const whole = await readFile(head(ledger));
    const line = whole.subarray(before.length, whole.indexOf('\n', before.length) + 1);
    await writeFile(head(ledger), before);
    const { state } = follow(ledger);
    await state.update();
    const { events } = state;
    for (const part of [line.subarray(0, 1), line.subarray(1, 90), line.subarray(90, -1)]) {
      await appendFile(head(ledger), part);
      await state.update();
      expect([state.events, state.fault]).toEqual([events, null]);
    }
    await appendFile(head(ledger), '\n');
    await state.update();
    expect([state.events, state.fault]).toEqual([events + 1, null]);
  });

  test('counts nothing twice if the sealer was killed before it cleared the head', async () => {
    const ledger = await liveLedger();
    const { state, files } = follow(ledger);
    await ledger.advance(140);
    await state.update();
    const sealed = await readFile(head(ledger));
    await ledger.advance(20);
    expect((await newestSnapshot(ledger)).id).toBe('2025-07-04T12Z');
    const cleared = await readFile(head(ledger));
    await writeFile(head(ledger), sealed);
    await state.update();
    expect(files()).toEqual(await ledger.rebuild());
    await writeFile(head(ledger), cleared);
    await state.update();
    expect(files()).toEqual(await ledger.rebuild());
    expect(state.fault).toBeNull();
  });

  test('takes what is signed if the head had other events', async () => {
    const ledger = await liveLedger();
    const { state, files } = follow(ledger);
    await ledger.advance(100);
    const honest = await readFile(head(ledger), 'utf8');
    await writeFile(head(ledger), honest.replaceAll('"HERMES"', '"ATLAS"'));
    await state.update();
    const told = files();
    await writeFile(head(ledger), honest);
    expect(told).not.toEqual(await ledger.rebuild());
    await ledger.advance(80);
    expect((await newestSnapshot(ledger)).id).toBe('2025-07-04T12Z');
    await state.update();
    expect(files()).toEqual(await ledger.rebuild());
  });
});

describe('a ledger that cannot be read', () => {
  test('with a damaged line in its head keeps the last state, is reported once, and resumes when it is repaired', async () => {
    const ledger = await liveLedger();
    const { state, reports, files } = follow(ledger);
    await state.update();
    const last = files();
    await ledger.advance(30);
    const whole = await readFile(head(ledger), 'utf8');
    await writeFile(head(ledger), `${whole.trimEnd().slice(0, -9)}\n`);
    for (let look = 0; look < 3; look += 1) await state.update();
    expect(files()['economy/supply']).toBe(last['economy/supply']);
    expect(state.fault).toContain('ledger_corrupt');
    expect(reports).toHaveLength(1);
    expect(reports[0]).toContain('head.ndjson:');
    await writeFile(head(ledger), whole);
    await state.update();
    expect(state.fault).toBeNull();
    expect(files()).toEqual(await ledger.rebuild());
    expect(reports).toHaveLength(1);
  });

  test.each([
    ['has lost the end of its head', (bytes: Buffer) => bytes.subarray(0, bytes.lastIndexOf('\n', -2) + 1)],
    ['has an empty head', () => Buffer.alloc(0)],
    ['has another head', () => Buffer.from('not an event\n')],
  ])('because it %s never takes back what was shown', async (_, damage) => {
    const ledger = await liveLedger();
    const { state, reports, files } = follow(ledger);
    await ledger.advance(90);
    await state.update();
    const last = files();
    const whole = await readFile(head(ledger));
    await writeFile(head(ledger), damage(whole));
    await state.update();
    await state.update();
    expect(files()).toEqual(last);
    expect(state.fault).toMatch(/ledger_order|ledger_corrupt/);
    expect(reports).toHaveLength(1);
    await writeFile(head(ledger), whole);
    await state.update();
    expect([state.fault, files()]).toEqual([null, await ledger.rebuild()]);
  });

  test('with a damaged snapshot keeps the last state until that is repaired, and then resumes', async () => {
    const ledger = await liveLedger();
    const { state, reports, files } = follow(ledger);
    await state.update();
    const last = files();
    await ledger.advance(24 * 60);
    const { events } = (await openDirectory(ledger.ledger).snapshots('2025-07-04T12Z'))[0]!;
    const whole = await readFile(events);
    await truncate(events, 50);
    await state.update();
    await state.update();
    expect(state.fault).toContain('ledger_corrupt');
    expect(reports).toHaveLength(1);
    // The snapshot before it is sound, so it is shown.
    expect(files()).not.toEqual(last);
    expect(state.timestamp! < '2025-07-04T12:00').toBe(true);
    await writeFile(events, whole);
    await state.update();
    expect([state.fault, files()]).toEqual([null, await ledger.rebuild()]);
  });

  test('with a snapshot that fails at its last event counts none of it, and counts it once when it is repaired', async () => {
    const ledger = await liveLedger();
    const { state, files } = follow(ledger);
    await state.update();
    const last = files();
    await ledger.advance(24 * 60);
    const [first, second] = await openDirectory(ledger.ledger).snapshots('2025-07-04T06Z');
    const whole = await readFile(first!.checkpoint);
    await copyFile(second!.checkpoint, first!.checkpoint);
    await state.update();
    await state.update();
    expect(state.fault).toContain('ledger_order');
    expect(files()).toEqual(last);
    await writeFile(first!.checkpoint, whole);
    await state.update();
    expect([state.fault, files()]).toEqual([null, await ledger.rebuild()]);
  });

  test('with a snapshot signed by an unknown key shows nothing of it', async () => {
    const ledger = await liveLedger();
    const { state } = follow(ledger);
    await state.update();
    const { events } = state;
    await ledger.advance(24 * 60);
    for (const { checkpoint } of await openDirectory(ledger.ledger).snapshots('2025-07-04T06Z')) {
      await writeFile(
        checkpoint,
        (await readFile(checkpoint, 'utf8')).replace(/— .*/, '— other.example AAAA'),
      );
    }
    await state.update();
    expect(state.fault).toMatch(/ledger_signature|ledger_corrupt/);
    expect(state.events).toBe(events);
  });

  test('because it is missing keeps the values of the release, and resumes once it is back', async () => {
    const ledger = await liveLedger();
    await rename(ledger.ledger, `${ledger.ledger}.away`);
    const { state, reports, files } = follow(ledger);
    await state.update();
    await state.update();
    const { dir } = (await readCurrent(ledger.out))!;
    expect(files()['economy/supply']).toBe(await readFile(join(dir, 'public', 'economy/supply'), 'utf8'));
    expect(state.fault).toContain('ledger_unreadable');
    expect(reports).toHaveLength(1);
    await rename(`${ledger.ledger}.away`, ledger.ledger);
    await state.update();
    expect([state.fault, files()]).toEqual([null, await ledger.rebuild()]);
  });

  test('because it is another ledger is not followed', async () => {
    const ledger = await liveLedger();
    await rename(ledger.ledger, `${ledger.ledger}.away`);
    await writeSample({ out: ledger.ledger, to: START, seed: 2 });
    const { state, files } = follow(ledger);
    await state.update();
    expect(state.fault).toContain('ledger_root');
    const { dir } = (await readCurrent(ledger.out))!;
    expect(files()['economy/supply']).toBe(await readFile(join(dir, 'public', 'economy/supply'), 'utf8'));
  });

  test('because an older copy replaced it never loses what was shown', async () => {
    const ledger = await liveLedger();
    await cp(ledger.ledger, `${ledger.ledger}.old`, { recursive: true });
    const { state, files } = follow(ledger);
    await ledger.advance(300);
    await state.update();
    const last = files();
    await rm(ledger.ledger, { recursive: true });
    await rename(`${ledger.ledger}.old`, ledger.ledger);
    await state.update();
    expect(files()).toEqual(last);
    expect(state.fault).toContain('ledger_order');
  });
});

describe('a release', () => {
  test('that does not exist yet is no fault to report, and is used once it exists', async () => {
    const ledger = await liveLedger();
    const out = `${ledger.out}-later`;
    await mkdir(out);
    const { state, reports, files } = follow({ ...ledger, out });
    await state.update();
    expect(state.fault).toBe('there is no release yet');
    expect(files()['economy/supply']).toBeUndefined();
    expect(reports).toEqual([]);
    await rm(out, { recursive: true });
    await rename(ledger.out, out);
    await state.update();
    expect([state.fault, files()]).toEqual([null, await ledger.rebuild()]);
  });

  test('whose state is damaged is skipped, and the previous one is continued', async () => {
    const ledger = await liveLedger();
    const releases = new Releases(ledger.out, () => {});
    const { state, reports, files } = follow(ledger, releases);
    await state.update();
    await ledger.advance(300);
    await ledger.publish();
    const place = join((await releases.current())!.dir, 'state.json');
    const whole = await readFile(place);
    await writeFile(place, whole.subarray(1));
    await state.update();
    await state.update();
    expect(files()).toEqual(await ledger.rebuild());
    expect(state.fault).toContain('release_invalid');
    expect(reports).toHaveLength(1);
    await writeFile(place, whole);
    await state.update();
    expect([state.fault, files()]).toEqual([null, await ledger.rebuild()]);
  });
});
