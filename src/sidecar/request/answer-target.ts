import { Problem } from '../../api/problem.ts';
import { answerStatus } from '../attestations/answer-verify.ts';
import { prepare, prepareFile } from '../files/prepare-file.ts';
import type { ServedRelease } from '../files/releases.ts';
import { answerOembed } from '../oembed/answer-oembed.ts';
import type { AskedState, Services } from '../services.ts';
import type { Answer } from './answer.ts';
import type { Target } from './route.ts';
import { clientOf, type Visit } from './visit.ts';

/** What is answered from the release; a document that comes as the body is not among them. */
export type Answerable = Exclude<Target, { kind: 'verify' }>;

type OfKind<Kind extends Target['kind']> = Extract<Target, { kind: Kind }>;

interface Asking<Kind extends Target['kind']> {
  visit: Visit;
  release: ServedRelease;
  target: OfKind<Kind>;
  services: Services;
}

type AskingForFile = Asking<'file'> | Asking<'chart'>;

type Answers = { [Kind in Answerable['kind']]: (asking: Asking<Kind>) => Promise<Answer> | Answer };

/** By what a path is the address of. Each throws a Problem. */
const ANSWERS: Answers = {
  file: answerFile,
  chart: (asking) => {
    const { visit, release, target, services } = asking;
    const { charts } = services;
    if (!charts) return answerFile(asking);
    return charts.prepare(visit.request, target.file, askedState(visit), release);
  },
  export: ({ visit: { request, query, holder }, release, services: { exporter } }) =>
    exporter.prepare(request, query, holder ?? '', release),
  moved: ({ visit, target }) => movedAnswer(target.to, visit.query),
  status: ({ visit: { query }, release, target: { name }, services: { live, now } }) =>
    answerStatus({ name, query, now: now() }, release, live),
  log: ({ visit, release, target, services: { log } }) => {
    if (!log) return answerMissing(visit, release);
    if (visit.query) throw new Problem('unknown_parameter', 'A file of the log takes no parameters.');
    return log.prepare(visit.request, target.file);
  },
  snapshot: answerSnapshot,
  oembed: ({ visit, release, services: { baseUrl } }) =>
    baseUrl === undefined ? answerMissing(visit, release) : answerOembed(visit.query, release, baseUrl),
  nothing: ({ visit, release }) => answerMissing(visit, release),
};

/** What a release has for what was asked for. Throws a Problem. */
export function answerTarget(
  visit: Visit,
  release: ServedRelease,
  target: Answerable,
  services: Services,
): Promise<Answer> | Answer {
  const answer = ANSWERS[target.kind] as (asking: Asking<Answerable['kind']>) => Promise<Answer> | Answer;
  return answer({ visit, release, target, services });
}

function answerFile({ visit, release, target: { file }, services }: AskingForFile) {
  const { request, path, query } = visit;
  const page = query ? services.pages?.answer(request, path!, askedState(visit), release) : null;
  if (page) return page;
  if (query && (file.kind === 'data' || file.kind === 'proof'))
    throw new Problem('unknown_parameter', 'A data file takes no parameters.');
  const newest = services.live?.representation(path!, request) ?? null;
  return newest ? prepare(request, newest) : prepareFile(request, release, file);
}

function askedState(visit: Visit): AskedState {
  return { query: visit.query, client: clientOf(visit) };
}

/** What is kept beside the releases. */
async function answerSnapshot({ visit, release, services }: Asking<'snapshot'>): Promise<Answer> {
  const { path, query, request } = visit;
  const found = await services.snapshots?.find(path!);
  if (!found) return answerMissing(visit, release);
  if ('movedTo' in found) return movedAnswer(found.movedTo, query);
  if (query && !path!.endsWith('/'))
    throw new Problem('unknown_parameter', 'A file of a snapshot takes no parameters.');
  return prepare(request, found);
}

function movedAnswer(to: string, query: string): Answer {
  const headers = { Location: `${to}${query && `?${query}`}`, 'Content-Length': '0' };
  return { status: 308, headers, body: null };
}

/** A reader in a browser gets the site's own page, everybody else a problem document. */
async function answerMissing({ request }: Visit, release: ServedRelease): Promise<Answer> {
  const page = release.files.get('404.html');
  const isReader = /\btext\/html\b/.test(request.headers.accept ?? '');
  const vary = { Vary: 'Accept' };
  if (!page || !isReader) throw new Problem('not_found', 'No file of this name is published.', vary);
  // Whole, whatever the conditions: the page stands for something else than itself.
  const { headers, body } = await prepareFile({ method: 'GET', headers: {} }, release, page);
  const type = { 'Content-Type': headers['Content-Type']!, 'Content-Length': headers['Content-Length']! };
  return { status: 404, headers: { ...type, 'Cache-Control': 'no-store', ...vary }, body };
}
