import { z } from 'zod';
import type { Area } from '../../../pipeline/artifacts/artifact.ts';
import { listWords, tokenWords } from '../../charts/words.ts';
import type { SiteRelease } from '../release.ts';
import { formatDay } from '../words/moment.ts';
import { formatCount, formatMic, formatNumber } from '../words/number.ts';

const Supply = z.looseObject({ total_supply: z.number(), circulating: z.number() });
const Index = z.looseObject({
  mii: z.number().nullable(),
  threshold: z.number(),
  minting_active: z.boolean(),
});
const Status = z.looseObject({
  sentinels: z.array(z.looseObject({ id: z.string(), status: z.string() })),
  system_health: z.string(),
});
const Report = z.looseObject({
  compliance: z.looseObject({ status: z.string() }),
  outlook: z.looseObject({
    next_audits: z.array(z.looseObject({ date: z.string(), jurisdiction: z.string() })),
  }),
});
const Coordination = z.looseObject({
  sentinels: z.array(z.unknown()),
  average_coordination: z.number(),
  consensus_rate: z.number(),
});
const Papers = z.looseObject({ papers: z.array(z.unknown()) });
const Virtues = z.looseObject({
  virtues: z.record(z.string(), z.looseObject({ score: z.number(), status: z.string() })),
  overall_compliance: z.number(),
});
const Drift = z.looseObject({ drift_score: z.number(), status: z.string() });
const Treaty = z.looseObject({ parties: z.looseObject({ statement: z.string() }) });

/** What each area's files say now, in a few sentences. */
export const STANDING: Readonly<Record<Area, (release: SiteRelease) => string>> = {
  government(release) {
    const { sentinels, system_health } = release.read('government/sentinel-status.json', Status);
    const { compliance, outlook } = release.read('government/transparency.json', Report);
    const active = sentinels.filter(({ status }) => status !== 'retired');
    const down = active.filter(({ status }) => status !== 'operational').map(({ id }) => id);
    const up =
      down.length === 0
        ? `All ${formatNumber(active.length)} sentinels are operational`
        : `${formatNumber(active.length - down.length)} of ${formatNumber(active.length)} sentinels are operational, all but ${listWords(down)}`;
    const [audit] = outlook.next_audits;
    const next = audit
      ? ` The next audit is that of ${audit.jurisdiction}, on ${formatDay(audit.date)}.`
      : ' No audit is scheduled.';
    return `${up}, and the system is ${tokenWords(system_health)}. Compliance, by the worst of all audits, is ${tokenWords(compliance.status)}.${next}`;
  },
  economy(release) {
    const { total_supply, circulating } = release.read('economy/supply', Supply);
    return `There are ${formatMic(total_supply)}, of which ${formatNumber(circulating)} circulate. ${gate(release)}`;
  },
  academics(release) {
    const coordination = release.read('academics/sentinel-coordination.json', Coordination);
    const { sentinels, average_coordination, consensus_rate } = coordination;
    const { papers } = release.read('academics/papers.json', Papers);
    return `${formatCount(release.draft.ledger.size, 'event')} of ${formatCount(sentinels.length, 'sentinel')} are on record, and ${formatCount(papers.length, 'paper')} describe what is computed from them. Mean coordination is ${formatNumber(average_coordination, { min: 1, max: 1 })} points, and ${percent(consensus_rate)} of the deliberations of the last thirty days reached consensus.`;
  },
  philosophy(release) {
    const { virtues, overall_compliance } = release.read('philosophy/virtues.json', Virtues);
    const { drift_score, status } = release.read('philosophy/drift-analysis.json', Drift);
    const short = Object.entries(virtues)
      .filter(([, virtue]) => virtue.status !== 'compliant')
      .map(([name, virtue]) => `${name} (${tokenWords(virtue.status)})`);
    const lacking =
      short.length === 0 ? 'each of them in good standing' : `all in good standing but ${listWords(short)}`;
    return `The five virtues have a mean of ${formatNumber(overall_compliance, { min: 3, max: 3 })} of 1, ${lacking}. The drift score is ${formatNumber(drift_score, { min: 3, max: 3 })}, which counts as ${tokenWords(status)}.`;
  },
  diplomacy: (release) => release.read('diplomacy/treaty-framework.json', Treaty).parties.statement,
};

function gate(release: SiteRelease): string {
  const { mii, threshold, minting_active } = release.read('economy/mii', Index);
  const bar = formatNumber(threshold, { min: 4, max: 4 });
  if (mii === null) return `The integrity index has no reading yet; its threshold is ${bar}.`;
  const side = mii >= threshold ? 'at or above' : 'below';
  return `The integrity index is ${formatNumber(mii, { min: 4, max: 4 })}, ${side} its threshold of ${bar}, so minting is ${minting_active ? 'on' : 'off'}.`;
}

function percent(share: number): string {
  return `${formatNumber(share * 100, { min: 0, max: 0 })} %`;
}
