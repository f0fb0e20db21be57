import { sentinelsByDay } from '../../../../pipeline/artifacts/academics/sentinels-by-day.ts';
import { uptime } from '../../../../pipeline/charts/kinds/uptime.ts';
import { perRelease } from './per-release.ts';
import { scoreHistory } from './score-history.ts';

/** What the charts of every sentinel's page are drawn from, read once. */
export const sentinelCharts = perRelease((release) => {
  const files = { [sentinelsByDay.path]: release.text(sentinelsByDay.path) };
  return { scores: scoreHistory.prepare(files), uptime: uptime.prepare(files) };
});
