import { CathedralError, type Finding } from '../../../pipeline/errors.ts';
import { formatVerifierKey } from '../../../pipeline/ledger/notes/note.ts';
import type { HistoryVerdict } from '../../../pipeline/verify/rows/verify-history.ts';
import { formatCount, formatNumber } from '../../../pipeline/words/number.ts';
import type { HistoryNews } from './history-worker.ts';
import { endProved } from './prove-pasted.ts';
import { NothingToCheck, type Steps } from './steps.ts';
import type { Means } from './verify-release.ts';
import { showWitnesses } from './witnesses.ts';

/** Findings that are shown; the rest is counted. */
const MOST_SHOWN = 50;

/** Compares each row of a file with the log, in a worker at this address. Throws Failed, Uncheckable and Stopped. */
export async function compareHistory(steps: Steps, file: File, means: Means, script: string): Promise<void> {
  const keys = await steps.need('Keys', async () => {
    const value = means.ledgerKeys().map(formatVerifierKey);
    return { words: `${formatCount(value.length, 'key')} of the ledger, shown above.`, value };
  });
  const worker = new Worker(script, { type: 'module' });
  try {
    const { verdict, note } = await steps.need('Log', async () => {
      const value = await heard(worker, { file, keys }, steps);
      return { words: value.words, value };
    });
    await showWitnesses(steps, note, means.origin.placeOf('log/checkpoint'), means);
    showVerdict(steps, file, verdict);
  } finally {
    worker.terminate();
  }
}

interface Heard {
  words: string;
  /** The checkpoint as it was signed. */
  note: string;
  verdict: HistoryVerdict;
}

/** What the worker comes to; its progress is shown. */
function heard(worker: Worker, job: { file: File; keys: string[] }, steps: Steps): Promise<Heard> {
  const { promise, resolve, reject } = Promise.withResolvers<Heard>();
  let [words, note] = ['', ''];
  worker.addEventListener('message', ({ data }: MessageEvent<HistoryNews>) => {
    try {
      if (data.news === 'opened') {
        const { origin, size, root } = data.checkpoint;
        note = data.note;
        words = `Compared with ${origin}, ${formatNumber(size)} events, root ${root}, signed by ${data.key}.`;
      } else if (data.news === 'progress') steps.say(progressWords(data));
      else if (data.news === 'failed') reject(errorOf(data));
      else if (data.verdict) resolve({ words, note, verdict: data.verdict });
      else reject(notPublished());
    } catch (error) {
      reject(error);
    }
  });
  worker.addEventListener('error', ({ message }) =>
    reject(new Error(message || 'the worker cannot be loaded')),
  );
  worker.postMessage(job);
  steps.say('Reading the log …');
  return promise;
}

function progressWords({ stage, done, total }: Extract<HistoryNews, { news: 'progress' }>): string {
  const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
  return `${stage === 'folding' ? 'Reading the public events' : 'Comparing the rows'}: ${percent} % …`;
}

function errorOf({ finding, message }: Extract<HistoryNews, { news: 'failed' }>): Error {
  return finding ? new CathedralError(finding.code, finding) : new Error(message);
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
  const stopped = isAbandoned ? ' Stopped early: this is not a history of this log.' : '';
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
