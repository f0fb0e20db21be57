import { roi } from '../../../../pipeline/artifacts/economy/roi.ts';
import { cathedralSeries } from '../../../../pipeline/charts/series.ts';
import { AREA_WORDS } from '../areas.ts';
import { sentinelEntries } from '../explore/sentinels.ts';
import { perRelease } from '../release.ts';
import type { Subject } from './compare-pair.ts';

/** Everything that can be compared: sentinels in the order of registration, then cathedrals. */
export const subjectsOf = perRelease((release): Subject[] => {
  const sentinels = sentinelEntries(release).map(
    (one): Subject => ({
      kind: 'sentinel',
      id: one.id,
      label: one.id,
      href: one.href,
      figures: [one.uptime_days, one.gi_score, one.coordination, one.multiplier, one.total_rewards, one.roi],
    }),
  );
  const { by_cathedral } = release.read(roi);
  const cathedrals = cathedralSeries(Object.keys(by_cathedral)).map(({ name, label }): Subject => {
    const { sentinel_count, multiplier, total_rewards, average_roi } = by_cathedral[name]!;
    return {
      kind: 'cathedral',
      id: name,
      label,
      href: portalOf(name),
      figures: [sentinel_count, multiplier, total_rewards, average_roi],
    };
  });
  return [...sentinels, ...cathedrals];
});

/** Its portal; the file, for a cathedral that has none. */
function portalOf(cathedral: string): string {
  const area = Object.entries(AREA_WORDS).find(([, words]) => words.cathedral === cathedral)?.[0];
  return area === undefined ? '/files/economy/roi/' : `/${area}/`;
}
