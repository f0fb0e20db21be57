import { AREAS } from '../../../../pipeline/artifacts/artifact.ts';
import { formatNumber } from '../../../../pipeline/words/number.ts';
import { QUOTAS, type Quota, tierWithoutKey } from '../../../api/quotas.ts';
import { AREA_WORDS } from '../areas.ts';

/** Requests a day: an area, without a key, and with a key of each of its tiers. */
export function limitRows(): string[][] {
  return AREAS.map((area) => {
    const free = tierWithoutKey(area);
    const quotas: [string, Quota][] = Object.entries(QUOTAS[area]);
    const keyed = quotas.filter(([tier]) => tier !== free);
    return [
      AREA_WORDS[area].title,
      ...quotas.filter(([tier]) => tier === free).map(([, quota]) => formatQuota(quota)),
      keyed.map(([tier, quota]) => `${tier}: ${formatQuota(quota)}`).join('; ') || 'no keys',
    ];
  });
}

function formatQuota(quota: Quota): string {
  return typeof quota === 'number' ? formatNumber(quota) : quota;
}
