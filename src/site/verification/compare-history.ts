import { CathedralError, type Finding } from '../../../pipeline/errors.ts';
import { PublicLog } from '../../../pipeline/verify/rows/public-log.ts';
import { type HistoryVerdict, verifyHistory } from '../../../pipeline/verify/rows/verify-history.ts';
import { formatCount, formatNumber } from '../../../pipeline/words/number.ts';
import { NothingToCheck, type Steps } from '../layout/steps.ts';
import { chunksOf } from './identify-file.ts';
import { endProved } from './prove-pasted.ts';
import { type Means, needLedgerKeys, showWitnesses } from './trust.ts';

/** Findings that are shown; the rest is counted. */
const MOST_SHOWN = 50;

/** Compares each row of a file with the log of the host. Throws Failed and Uncheckable. */
export async function compareHistory(steps: Steps, file: File, means: Means): Promise<void> {
  const { origin } = means;
  const keys = await needLedgerKeys(steps, means);
  const { verdict, note } = await steps.need('Log', async () => {
    const log = await PublicLog.open(origin, keys);
    const { checkpoint, note, verifier } = log;
    if (!(await log.policy())) throw notPublished();
    const verdict = await verifyHistory(chunksOf(file), log, {
      onProgress: (progress) => steps.say(progressWords(progress)),
    });
    const words = `Compared with ${checkpoint.origin}, ${formatCount(checkpoint.size, 'event')}, root ${checkpoint.root}, signed by ${verifier.name}+${verifier.id}.`;
    return { words, value: { verdict, note } };
  });
  await showWitnesses(steps, note, origin.placeOf('log/checkpoint'), means);
  showVerdict(steps, file, verdict);
}

interface Progress {
  stage: 'folding' | 'comparing';
  done: number;
  total: number;
}

function progressWords({ stage, done, total }: Progress): string {
  const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
  return `${stage === 'folding' ? 'Reading the public events' : 'Comparing the rows'}: ${percent} % …`;
}

function notPublished(): NothingToCheck {
  const fault = { place: '/log/public', expected: 'the public events of the log', found: 'none' };
  return new NothingToCheck(new CathedralError('proof_refused', fault));
}

function showVerdict(steps: Steps, file: File, verdict: HistoryVerdict): void {
  const { path, rows, proved, findings, unchecked, notes, isAbandoned } = verdict;
  const name = path === null ? file.name : `/${path}`;
  const counted = `${formatNumber(proved)} of ${formatCount(rows, 'row')} ${proved === 1 ? 'follows' : 'follow'} from the log.`;
  const more =
    findings.length > MOST_SHOWN
      ? ` The first ${MOST_SHOWN} of ${formatCount(findings.length, 'finding')}:`
      : '';
  const stopped = isAbandoned
    ? ' Stopped early: so much does not hold that this may be no history of this log.'
    : '';
  if (findings.length > 0)
    steps.fail(
      'Rows',
      findings.slice(0, MOST_SHOWN).map((one) => rowFinding(one, file.name)),
      `${counted}${stopped}${more}`,
    );
  else if (rows > 0) steps.pass('Rows', [counted, ...notes].join(' '));
  if (unchecked.length > 0) steps.open('Not compared', [], unchecked.join(' '));
  if (verdict.verdict === 'proved')
    endProved(steps, `Proved: every row of ${name} follows from the log, in order, and none is missing`);
  else if (verdict.verdict === 'does_not_hold')
    steps.end(`${file.name} does not hold: ${formatCount(findings.length, 'finding')}`, 'invalid');
  else if (steps.failed > 0)
    steps.end(`${file.name} cannot be checked whole, and others may see another log: see below`, 'invalid');
  else steps.end(`${file.name} cannot be checked whole: nothing was found wrong, but see below`, 'open');
}

function rowFinding({ line, kind, message }: HistoryVerdict['findings'][number], name: string): Finding {
  return {
    code: 'proof_refused',
    place: `${name}:${line}`,
    expected: 'the rows that follow from the log',
    found: `${kind}: ${message}`,
  };
}
