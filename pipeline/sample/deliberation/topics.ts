import { Random } from '../../random.ts';
import { DEPRECATION, EMBARGO, READER_LIMIT } from '../prose/access.ts';
import { APPEAL, COMPANION_SCOPE, REVOCATION_NOTICE } from '../prose/companions.ts';
import { CONSULTATION, QUORUM, TIME_LIMIT } from '../prose/council.ts';
import { ANNEX, JOINT_AUDIT, RECOGNITION } from '../prose/diplomacy.ts';
import { POST_MORTEM, SECOND_HOST, SUSPENSION } from '../prose/integrity.ts';
import { COUNTERCYCLICAL, ENERGY_REPORT, MUNICIPAL_PILOT } from '../prose/policy.ts';
import { DISSENT_RECORD, PLAIN_SUMMARY, RETENTION } from '../prose/records.ts';
import { BAND, CITATION_TERMS, REPLICATION } from '../prose/science.ts';
import type { Topic } from '../prose/topic.ts';
import { FEE_RELIEF, GRANT_TRANCHE, SINK_RATE } from '../prose/treasury.ts';

/** Two lists that take turns, so that a question comes back after a month and a half at the earliest. */
const HALVES: readonly (readonly Topic[])[] = [
  [
    GRANT_TRANCHE,
    SUSPENSION,
    EMBARGO,
    PLAIN_SUMMARY,
    QUORUM,
    COMPANION_SCOPE,
    MUNICIPAL_PILOT,
    RECOGNITION,
    BAND,
    POST_MORTEM,
    FEE_RELIEF,
    RETENTION,
    CONSULTATION,
  ],
  [
    SINK_RATE,
    SECOND_HOST,
    READER_LIMIT,
    DISSENT_RECORD,
    TIME_LIMIT,
    REVOCATION_NOTICE,
    COUNTERCYCLICAL,
    ANNEX,
    REPLICATION,
    DEPRECATION,
    APPEAL,
    ENERGY_REPORT,
    JOINT_AUDIT,
    CITATION_TERMS,
  ],
];
export const TOPICS: readonly Topic[] = HALVES.flat();

/** The questions in the order in which a seed brings them up, without end, each time about its next subject. */
export function* topicsOf(
  seed: number,
): Generator<{ topic: Topic; subject: Readonly<Record<string, string>> }> {
  for (let round = 0; ; round += 1) {
    const random = new Random(seed, 'topics', round);
    for (const topic of HALVES.flatMap((half) => random.shuffled(half))) {
      const first = new Random(seed, 'subject', topic.question).whole(0, topic.subjects.length - 1);
      yield { topic, subject: topic.subjects[(first + round) % topic.subjects.length]! };
    }
  }
}
