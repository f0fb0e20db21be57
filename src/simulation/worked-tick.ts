import { actInRun, startRun, stepRun } from './run.ts';
import { type Shown, show } from './view.ts';
import { VIRTUES } from './virtues.ts';

/** A table in Markdown. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines
    .map((cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
}

/** Exact for a weight × an effect, which have six and two decimals, and for what is computed from these: at most eight. */
function exact(value: number): string {
  return String(Number(value.toFixed(8)));
}

/** A run with a stake and an action in it, and a sentinel that they concern. */
const SCENARIO = 'cathedral_multiplier_proposal';
const SEED = 1;
const SENTINEL = 'EVE';

/**
 * One sentinel, one tick, every step with its numbers, computed from the update alone. The last line compares the result with the next
 * update, which a test checks.
 */
export function workedTick(): string[] {
  const begun = actInRun(stepRun(startRun(SCENARIO, SEED)), 'brief_sentinel', {
    sentinel: SENTINEL,
    virtue: 'prudence',
  });
  const [before, after] = [begun, stepRun(begun)].map((run) => show(run, { outlooks: false })) as [
    Shown,
    Shown,
  ];
  const i = before.sentinels.findIndex(({ id }) => id === SENTINEL);
  const own = ownOpinion(before, i);
  const heard = heardOpinion(before, i);
  const { stubbornness, resting_opinion } = before.model.sentinels[i]!;
  const next = (1 - stubbornness) * heard.sum + stubbornness * own.rounded;
  return [
    '## A tick by hand',
    `Scenario \`${SCENARIO}\`, seed ${SEED}; on tick ${before.tick}, ${SENTINEL} is briefed on prudence. What does ${SENTINEL} think on tick ${after.tick}? Everything that follows is in the update of tick ${before.tick} (\`model\`, \`sentinels\`), which the page saves as JSON.`,
    `**1. What it thinks by itself.** Weight × effect, for each virtue:`,
    own.table,
    own.text,
    `**2. Whom it hears.** Before scaling, an influence is trust × (1 + kinship, in the same cathedral) ÷ (1 + (distance ÷ reach)²), with kinship ${before.model.levers.kinship} and reach ${before.model.levers.reach}; its own is 1. Divided by their sum, ${six(heard.total)}, they are the row of ${SENTINEL} in W. The last column is W × the opinion on tick ${before.tick}; it sums to ${six(heard.sum)}. The table is rounded to six places, so its columns add up to these sums but for the last digit.`,
    heard.table,
    `**3. Both together.** With a stubbornness of ${stubbornness}, x(${after.tick}) = (1 − ${stubbornness}) × ${six(heard.sum)} + ${stubbornness} × ${own.rounded} = ${six(next)}. The update of tick ${after.tick} says ${after.sentinels[i]!.opinion}.`,
    `If nothing changed any more, ${SENTINEL} would come to rest at ${resting_opinion}: repeat the three steps for all sentinels until no opinion changes. Whoever computes with the printed matrix instead of weights, trust and parameters gets the same within a few millionths, because its entries are rounded.`,
  ];
}

function six(value: number): string {
  return value.toFixed(6);
}

function ownOpinion({ model, sentinels }: Shown, i: number) {
  const { weights, temper } = model.sentinels[i]!;
  const { cathedral, drift } = sentinels[i]!;
  const products = VIRTUES.map((virtue) => weights[virtue] * model.effects[virtue]);
  const sum = products.reduce((total, product) => total + product, 0);
  const { interest, lure } = model.levers;
  const stake = model.stakes[cathedral] ?? 0;
  const utility = 3 * sum + interest * stake + (lure * drift) / 10 + temper;
  const rounded = Number(six((1 + Math.min(1, Math.max(-1, utility))) / 2));
  return {
    rounded,
    table: table(
      ['virtue', 'weight', 'effect', 'product'],
      VIRTUES.map((virtue, v) => [virtue, weights[virtue], model.effects[virtue], exact(products[v]!)]),
    ),
    text: `The products sum to ${exact(sum)}. Utility = 3 × ${exact(sum)} + interest ${interest} × stake ${stake} + lure ${lure} × drift ${drift} ÷ 10 + temper ${temper} = ${exact(utility)}, which lies between −1 and 1. So u = (1 + ${exact(utility)}) ÷ 2, rounded to six places: ${rounded}.`,
  };
}

function heardOpinion({ model, sentinels }: Shown, i: number) {
  const { kinship, reach } = model.levers;
  const mine = model.sentinels[i]!.weights;
  const rows = sentinels.map(({ id, cathedral, status, opinion }, j) => {
    const { weights, trust } = model.sentinels[j]!;
    const distance = Math.sqrt(
      VIRTUES.reduce((sum, virtue) => sum + (mine[virtue] - weights[virtue]) ** 2, 0),
    );
    const kin = cathedral === sentinels[i]!.cathedral ? 1 + kinship : 1;
    const voice = status === 'operational' ? (trust * kin) / (1 + (distance / reach) ** 2) : 0;
    return { id, distance, trust, kin, entry: i === j ? 1 : voice, opinion };
  });
  const total = rows.reduce((sum, { entry }) => sum + entry, 0);
  return {
    total,
    sum: rows.reduce((sum, { entry, opinion }) => sum + (entry / total) * opinion, 0),
    table: table(
      ['speaker', 'distance', 'trust', 'kinship', 'before scaling', 'W', 'opinion', 'W × opinion'],
      rows.map(({ id, distance, trust, kin, entry, opinion }) => [
        id,
        six(distance),
        trust,
        id === SENTINEL ? 'itself' : kin,
        six(entry),
        six(entry / total),
        opinion,
        six((entry / total) * opinion),
      ]),
    ),
  };
}
