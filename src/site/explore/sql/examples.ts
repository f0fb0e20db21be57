import type { Area } from '../../../../pipeline/artifacts/artifact.ts';

/** A question that a reader of an area has, and the query that answers it. A test runs each over a release. */
export interface SqlExample {
  area: Area;
  question: string;
  sql: string;
}

export const SQL_EXAMPLES: readonly SqlExample[] = [
  {
    area: 'government',
    question: 'Which days ended with minting off, and how far below the threshold was the index?',
    sql: `SELECT date, mii, threshold, round(threshold - mii, 6) AS below
FROM mii_by_day
WHERE NOT minting_active
ORDER BY date DESC`,
  },
  {
    area: 'government',
    question: 'Which sentinels were silent longest, month by month?',
    sql: `SELECT strftime(date, '%Y-%m') AS month, arg_max(sentinel, longest_silence) AS sentinel,
  max(longest_silence) AS hours, count(*) FILTER (status <> 'operational') AS days_not_operational
FROM sentinels_by_day
GROUP BY month
ORDER BY month DESC`,
  },
  {
    area: 'economy',
    question: 'How much MIC was minted each month, by cathedral?',
    sql: `SELECT strftime(date, '%Y-%m') AS month, cathedral, sum(minted) AS mic, sum(mints) AS mints
FROM minting_by_day
GROUP BY ALL
ORDER BY month DESC, mic DESC`,
  },
  {
    area: 'economy',
    question: 'How is minting distributed among the sentinels?',
    sql: `SELECT sentinel, sum(amount) AS mic, round(100 * sum(amount)::DOUBLE / sum(sum(amount)::DOUBLE) OVER (), 2) AS percent,
  count(*) AS mints, round(avg(amount)::DOUBLE, 2) AS mean
FROM mic_history
GROUP BY sentinel
ORDER BY mic DESC`,
  },
  {
    area: 'economy',
    question: 'How fast does the supply grow from month to month?',
    sql: `WITH months AS (
  SELECT strftime(date, '%Y-%m') AS month, arg_max(total_supply, date) AS supply, arg_max(burned, date) AS burned
  FROM supply_by_day
  GROUP BY month
)
SELECT month, supply, supply - lag(supply) OVER w AS added,
  round(100 * (supply - lag(supply) OVER w)::DOUBLE / lag(supply) OVER w::DOUBLE, 2) AS percent, burned
FROM months
WINDOW w AS (ORDER BY month)
ORDER BY month DESC`,
  },
  {
    area: 'academics',
    question: 'How closely do rewards follow coordination scores, sentinel by sentinel?',
    sql: `SELECT sentinel, count(*) AS mints, round(corr(amount::DOUBLE, coordination_score), 4) AS correlation,
  round(regr_slope(amount::DOUBLE, coordination_score), 3) AS mic_per_point
FROM mic_history
GROUP BY sentinel
HAVING count(*) > 2
ORDER BY correlation DESC NULLS LAST`,
  },
  {
    area: 'academics',
    question: 'Which event types does the ledger record, and on how many days?',
    sql: `SELECT event_type, sum(events) AS events, count(*) AS days, min(date) AS first_day, max(date) AS last_day
FROM events_by_day
WHERE events > 0
GROUP BY event_type
ORDER BY events DESC`,
  },
  {
    area: 'philosophy',
    question: 'Which ethical frameworks do decisions apply most, and since when?',
    sql: `SELECT framework, count(*) AS decisions, min(date) AS first_day, max(date) AS last_day
FROM (SELECT date, unnest(frameworks_applied) AS framework FROM decisions)
GROUP BY framework
ORDER BY decisions DESC, framework`,
  },
  {
    area: 'philosophy',
    question: 'How long do deliberations take, depending on how they end?',
    sql: `SELECT consensus, count(*) AS deliberations,
  round(avg(date_diff('minute', opened, closed)) / 60, 1) AS mean_hours,
  round(median(date_diff('minute', opened, closed)) / 60, 1) AS median_hours
FROM deliberation_archive
GROUP BY consensus
ORDER BY deliberations DESC`,
  },
  {
    area: 'philosophy',
    question: 'Which sentinels take which positions?',
    sql: `SELECT id AS sentinel, position, count(*) AS times
FROM positions
GROUP BY ALL
ORDER BY sentinel, times DESC`,
  },
  {
    area: 'diplomacy',
    question: 'How strongly do the clauses of each standard bind?',
    sql: `SELECT standards.title, standard_clauses.keyword, count(*) AS clauses
FROM standard_clauses JOIN standards ON standards.id = standard_clauses.standard
GROUP BY ALL
ORDER BY title, clauses DESC`,
  },
  {
    area: 'diplomacy',
    question: 'Who owes what under the treaty, and by when?',
    sql: `SELECT unnest(who) AS party, id, what, by_when, verified_by
FROM treaty_obligations
ORDER BY party, id`,
  },
];
