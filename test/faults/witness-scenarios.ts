import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COSIGNATURE, parseLogKey } from '../../pipeline/ledger/notes/note.ts';
import { signerFromSeed } from '../../pipeline/ledger/notes/signer-from-seed.ts';
import { keepCosigned } from '../../pipeline/release/log/cosign-log.ts';
import { Witness } from '../../pipeline/witness/witness.ts';
import { checkpointText, consistency, ForeignKey, requestOf } from '../witness/foreign-log.ts';
import type { Scenario } from './scenario.ts';

const ORIGIN = 'log.example/one';
const LOG = new ForeignKey(ORIGIN, 1, 1);
const OWN = new ForeignKey('witness.example/w1', 4, 9);
const leaves = (count: number) => Array.from({ length: count }, (_, at) => `leaf ${at}`);
const [BEFORE, AFTER] = [5, 9];

function open(folder: string): Promise<Witness> {
  return Witness.open({
    folder: join(folder, 'witness'),
    keys: [signerFromSeed(OWN.name, new Uint8Array(32).fill(9), COSIGNATURE)],
    logs: [{ origin: ORIGIN, keys: [parseLogKey(LOG.vkey)] }],
    now: () => 1_800_000_000_000,
    log: () => {},
  });
}

/** Asks as a log does: from nothing, and then from the size that it is told. */
async function ask(witness: Witness, size: number): Promise<void> {
  const text = checkpointText(ORIGIN, leaves(size));
  const post = (old: number) =>
    witness.addCheckpoint(requestOf(old, consistency(old, leaves(size)), `${text}\n${LOG.line(text)}`));
  let answer = await post(0);
  if (answer.status === 409) answer = await post(Number(answer.body));
  if (answer.status !== 200 || !OWN.hasSigned(text, answer.body))
    throw new Error(`${answer.status} ${answer.body}`);
}

/** A witness that says it has cosigned knows it from then on. */
const cosigning: Scenario = {
  async prepare(folder) {
    await ask(await open(folder), BEFORE);
  },
  run: async (folder) => ask(await open(folder), AFTER),
  async problems(folder, isDone) {
    const { body } = await (await open(folder)).checkpoint(hash('sha256', ORIGIN));
    const size = Number(body.split('\n')[1]);
    const text = checkpointText(ORIGIN, leaves(size));
    const isAllowed = isDone ? size === AFTER : size === BEFORE || size === AFTER;
    return [
      ...(isAllowed ? [] : [`it remembers ${JSON.stringify(body.slice(0, 60))}`]),
      ...(OWN.hasSigned(text, body) && LOG.hasSigned(text, body) ? [] : ['its record is not signed']),
    ];
  },
};

const TEXT = checkpointText(ORIGIN, leaves(BEFORE));
const PUBLISHED = `${TEXT}\n${LOG.line(TEXT)}`;
const COSIGNED = `${PUBLISHED}${OWN.line(TEXT, 5)}`;

/** The checkpoint that readers see has all of its signatures or those of before. */
const keeping: Scenario = {
  async prepare(folder) {
    mkdirSync(join(folder, 'log'));
    writeFileSync(join(folder, 'log/checkpoint'), PUBLISHED);
  },
  run: (folder) => keepCosigned(folder, COSIGNED),
  async problems(folder, isDone) {
    const note = readFileSync(join(folder, 'log/checkpoint'), 'utf8');
    const lasting = join(folder, `log/cosigned/${BEFORE}`);
    const kept = existsSync(lasting) ? readFileSync(lasting, 'utf8') : null;
    const isWhole = note === COSIGNED && kept === COSIGNED;
    if (isDone) return isWhole ? [] : ['the cosignature is lost'];
    return [
      ...(note === PUBLISHED || note === COSIGNED ? [] : [`the checkpoint is ${JSON.stringify(note)}`]),
      ...(kept === null || kept === COSIGNED ? [] : [`the kept note is ${JSON.stringify(kept)}`]),
    ];
  },
};

export const WITNESS_SCENARIOS: Readonly<Record<string, Scenario>> = {
  'a witness that cosigns': cosigning,
  'a cosignature that is kept': keeping,
};
