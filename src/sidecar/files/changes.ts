import { hash } from 'node:crypto';
import { type Changes, changesBetween, yearsOf } from '../../../pipeline/forms/changes/changes-between.ts';
import { changesDocument } from '../../../pipeline/forms/changes/changes-document.ts';
import { type Extent, type Period, parsePeriod } from '../../../pipeline/forms/changes/period.ts';
import { type YearOfDays, yearPath } from '../../../pipeline/forms/changes/year-of-days.ts';
import { headersFor } from '../../../pipeline/release/format/headers.ts';
import type { ManifestFile } from '../../../pipeline/release/format/manifest.ts';
import { Problem } from '../../api/problem.ts';
import { parseParameters } from '../../api/query/parameters.ts';
import type { Answer } from '../request/answer.ts';
import { readReleaseText, type ServedRelease } from './releases.ts';
import { answerWith, type RequestHead, resourceInMemory } from './representation.ts';

/** What changed in the default period: a file of the release. */
const CHANGES_PATH = 'changes.json';

/** Whether a query asks what changed in another period, and not for an earlier version of the file. */
export function asksForPeriod(path: string, query: string): boolean {
  return path === CHANGES_PATH && /(^|&)(since|until)\b/.test(query);
}

/** What changed in the period of the query, from the files by year of the release. Throws a Problem. */
export async function answerChanges(
  request: RequestHead,
  file: ManifestFile,
  query: string,
  release: ServedRelease,
  baseUrl: string,
): Promise<Answer> {
  const extent = await extentOf(release);
  const period = periodOf(query, extent);
  const names = [...release.files.keys()].flatMap(
    (path) => /^changes\/(\d{4,})\.json$/.exec(path)?.[1] ?? [],
  );
  const years = await Promise.all(yearsOf(period, names.sort()).map((year) => readYear(release, year)));
  const changes: Changes = changesBetween(years, period);
  const body = Buffer.from(`${JSON.stringify(changesDocument(changes, extent, baseUrl), null, 2)}\n`);
  const content = { sha256: hash('sha256', body), bytes: body.length, source: body };
  const about = { headers: headersFor(file), modified: release.manifest.timestamp };
  return answerWith(request, resourceInMemory(about, new Map([[null, content]])));
}

function periodOf(query: string, extent: Extent): Period {
  const found = parseParameters(query, ['since', 'until']);
  const asked = parsePeriod({ since: found.get('since') ?? '', until: found.get('until') ?? '' }, extent);
  if ('period' in asked) return asked.period;
  const { name, message } = asked.fault;
  throw new Problem('invalid_parameter', `The parameter ${name}: ${message}`);
}

async function extentOf(release: ServedRelease): Promise<Extent> {
  const { first_day, last_day } = JSON.parse((await readReleaseText(release, CHANGES_PATH))!);
  if (first_day === null)
    throw new Problem('not_found', 'No day of this ledger is over yet, so there is nothing to compare.');
  return { first: first_day, last: last_day };
}

async function readYear(release: ServedRelease, year: string): Promise<YearOfDays> {
  return JSON.parse((await readReleaseText(release, yearPath(year)))!);
}
