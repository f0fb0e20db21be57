import { z } from 'zod';
import { AREAS, type Area } from '../../pipeline/artifacts/artifact.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { readPasted } from '../../pipeline/verify/rows/pasted.ts';
import { proveRow } from '../../pipeline/verify/rows/prove-row.ts';
import { RowLog } from '../../pipeline/verify/rows/row-log.ts';
import { FilePath, knownFile } from './find-files.ts';
import type { OpenRelease } from './held-release.ts';
import { slotOf } from './held-release.ts';
import { AsOf } from './read-rows.ts';
import { type Call, defineTool } from './tool.ts';
import { ToolError } from './tool-error.ts';

const VERDICTS = ['proved', 'does_not_hold', 'cannot_be_checked'] as const;
type Verdict = (typeof VERDICTS)[number];

const WORDS: Readonly<Record<Verdict, string>> = {
  proved: 'Proved',
  does_not_hold: 'Does not hold',
  cannot_be_checked: 'Cannot be checked',
};

const Step = z.strictObject({
  step: z.string(),
  result: z.enum(['holds', 'does_not_hold', 'cannot_be_checked']),
  words: z.string(),
});
type Step = z.output<typeof Step>;

const verdict = z.enum(VERDICTS).meta({
  description:
    'proved: every step holds. does_not_hold: something contradicts it. cannot_be_checked: neither; say so and do not call it wrong',
});
const trust = z.string().meta({ description: 'On which key the verdict rests' });

/** How far the reader can trust the keys. */
function trustIn(release: OpenRelease): string {
  const { signed_by: key, key_given: given } = release.signature;
  return given
    ? `The publisher’s key ${key}, which the user gave.`
    : `The publisher’s key ${key}, which this host named itself. Compare it with the one that the publisher announces elsewhere.`;
}

export const verifyFile = defineTool({
  name: 'verify_file',
  title: 'Verify a file',
  description:
    'Verifies that the publisher signed the bytes of a file, now or at an earlier time, and that the ledger’s log is signed. With sha256 it verifies a copy that the user has.',
  input: z.strictObject({
    path: FilePath,
    sha256: z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/, 'expected 64 hexadecimal digits')
      .optional()
      .meta({ description: 'Of the user’s copy. Default: the bytes that this host serves' }),
    as_of: AsOf,
  }),
  output: z.strictObject({
    verdict,
    steps: z.array(Step),
    sha256: z
      .string()
      .nullable()
      .meta({ description: 'As the publisher signed it; null if that is not known' }),
    trust,
    not_covered: z.string(),
  }),
  run: async ({ path, sha256, as_of }, call) =>
    verified(call, async (release, steps) => {
      const { artifact, file } = knownFile(release, path);
      const slot = as_of === undefined ? null : slotOf(as_of);
      await call.count(artifact.area);
      const { origin, signed } = release;
      const { manifest } = signed;
      steps.add(
        'Signature',
        `${signed.signedBy.name} signed the manifest of the release ${manifest.release}.`,
      );
      const listed =
        slot === null ? null : await steps.take('Snapshot', () => release.versionAt(file.path, slot));
      const version = listed ? { ...listed.file, path: file.path } : file;
      const where = listed ? `the snapshot ${listed.entry.id}` : `the release ${manifest.release}`;
      if (listed) steps.where = where;
      if (listed) steps.add('Snapshot', `The publisher signed the list with ${listed.entry.id}.`);
      steps.add('Listed', `In ${where}, ${file.path} has the SHA-256 ${version.sha256}.`);
      const given = sha256?.toLowerCase();
      if (given !== undefined && given !== version.sha256)
        return steps.end(
          'Copy',
          slot === null ? 'cannot_be_checked' : 'does_not_hold',
          slot === null
            ? `The copy has ${given}, which is not the current version. It may be an earlier one: give as_of with its time.`
            : `The copy has ${given}.`,
        );
      if (given !== undefined) steps.add('Copy', 'The copy has the same SHA-256.');
      else {
        await steps.take('Bytes', async () => {
          if (listed) await release.read(file.path, as_of);
          else await release.read(file.path);
        });
        steps.add('Bytes', 'This host has these bytes.');
      }
      call.signal.throwIfAborted();
      const log = await steps.take('Log', async () => RowLog.open(origin, await release.ledgerKeys()));
      const { size, root } = log.checkpoint;
      steps.add(
        'Log',
        `The ledger’s log has ${size} events and the root ${root}, signed by ${log.verifier.name}.`,
      );
      return version.sha256;
    }),
});

export const verifyRow = defineTool({
  name: 'verify_row',
  title: 'Verify a row or an event',
  description:
    'Follows a row of a public history, or an event by its number or line, through the Merkle tree to the ledger’s signed checkpoint. Paste the row as CSV (with or without its header), as JSON, or the number of an event.',
  input: z.strictObject({
    row: z.string().min(1).max(20_000).meta({
      description: 'For example: 2025-07-04T09:12:31Z,C-1,AUREA,812.5,FOR-ECONOMISTS,61.2',
    }),
  }),
  output: z.strictObject({
    verdict,
    steps: z.array(Step),
    history: z
      .string()
      .nullable()
      .meta({ description: 'The file that the row belongs to; null if not known' }),
    events: z.array(z.strictObject({ index: z.int(), hash: z.string(), proof: z.string() })).meta({
      description:
        'The first events that it follows from; proof: for `cathedral verify-proof`, without a network',
    }),
    trust,
  }),
  run: async ({ row }, call) => {
    const pasted = readPasted(row);
    if (pasted.kind === 'hash' || pasted.kind === 'export')
      throw new ToolError(
        'row: expected a row of a public history, or the number or line of an event, found the hash of an event. The command `cathedral prove` makes a proof from a hash.',
      );
    await call.count(pasted.kind === 'row' ? areaOf(pasted.candidates[0]!.history.path) : 'academics');
    return call.held.read(async (release) => {
      const steps: Step[] = [];
      const found = await proveRow(pasted, {
        origin: release.origin,
        ledgerKeys: await release.ledgerKeys(),
        report: ({ step, result, words, findings }) => {
          call.signal.throwIfAborted();
          const faults = findings.map(
            ({ place, expected, found }) => `${place}: expected ${expected}, found ${found}.`,
          );
          steps.push({
            step,
            result: result === 'proved' ? 'holds' : result,
            words: [words, ...faults].join(' ').trim(),
          });
        },
      });
      const events = found.verdict === 'proved' ? found.events.slice(0, MOST_PROOFS) : [];
      return {
        text: `${WORDS[found.verdict]}: ${((found.verdict === 'proved' && steps.find(({ step }) => step === 'Event')) || steps.at(-1))?.words ?? ''}`,
        value: {
          verdict: found.verdict,
          steps,
          history: found.history,
          events: events.map(({ index, hash, proof }) => ({ index, hash, proof })),
          trust: trustIn(release),
        },
      };
    });
  },
});

/** Of a row that follows from many events. A proof has about 2 kB. */
const MOST_PROOFS = 5;

function areaOf(path: string): Area {
  return AREAS.find((area) => path.startsWith(`${area}/`)) ?? 'academics';
}

class Ended extends Error {}

class Steps {
  readonly taken: Step[] = [];
  /** What lists the file, where it is not the release. */
  where: string | null = null;
  /** The step that is being taken. */
  #current = 'Signature';

  /** A new release begins again. */
  restart(): void {
    this.taken.length = 0;
    this.#current = 'Signature';
  }

  add(step: string, words: string): void {
    this.taken.push({ step, result: 'holds', words });
  }

  end(step: string, result: Exclude<Verdict, 'proved'>, words: string): never {
    this.taken.push({ step, result, words });
    throw new Ended();
  }

  /** What it throws is judged once it is certain that no new release caused it. */
  take<T>(step: string, work: () => Promise<T>): Promise<T> {
    this.#current = step;
    return work();
  }

  /** What contradicts the proof ends it; a host that does not answer has contradicted nothing. */
  judge(error: unknown): void {
    if (error instanceof Ended) return;
    if (!(error instanceof CathedralError)) throw error;
    const { code, place, expected, found } = error;
    const result = UNKNOWN.has(code) ? 'cannot_be_checked' : 'does_not_hold';
    this.taken.push({
      step: this.#current,
      result,
      words: `${place}: expected ${expected}, found ${found}.`,
    });
  }
}

/** Not answered, or not kept. */
const UNKNOWN: ReadonlySet<string> = new Set(['mirror_unreachable', 'mirror_stopped', 'release_invalid']);

const NOT_COVERED =
  'That each row follows from the ledger: verify_row verifies a row, and `cathedral prove-row` a whole history.';

const DISTRUSTED = 'None: no signature of a trusted key holds.';

async function verified({ held }: Call, work: (release: OpenRelease, steps: Steps) => Promise<string>) {
  const steps = new Steps();
  let [sha256, trust, proved]: [string | null, string, string] = [null, DISTRUSTED, ''];
  const reading = held.read(async (release) => {
    steps.restart();
    trust = trustIn(release);
    const { manifest } = release.signed;
    sha256 = await work(release, steps);
    proved = `the publisher signed these bytes, SHA-256 ${sha256}, which ${steps.where ?? `the release ${manifest.release}`} lists.`;
  });
  await reading.catch((error) => steps.judge(error));
  const last = steps.taken.at(-1)!;
  const found: Verdict = last.result === 'holds' ? 'proved' : last.result;
  return {
    text: `${WORDS[found]}: ${found === 'proved' ? proved : last.words}`,
    value: { verdict: found, steps: steps.taken, sha256, trust, not_covered: NOT_COVERED },
  };
}
