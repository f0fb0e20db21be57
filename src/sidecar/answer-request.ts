import { admit, isPlain } from './admit.ts';
import { aim, type Target } from './aim.ts';
import { type Answer, discard } from './answer.ts';
import { answerStatus } from './attestations/answer-status.ts';
import { answerVerify } from './attestations/answer-verify.ts';
import { counted } from './count.ts';
import { enterGate } from './enter-gate.ts';
import { FileBody } from './file-body.ts';
import { clientNetwork } from './limits/client-network.ts';
import type { LogPath } from './log/log-path.ts';
import { answerOembed, OEMBED_PATH } from './oembed/answer-oembed.ts';
import { OWN_PATHS } from './own-paths.ts';
import { prepare, prepareFile } from './prepare-file.ts';
import { Problem } from './problem.ts';
import { noRelease, type ServedRelease } from './releases.ts';
import { headersOf } from './send.ts';
import type { Asked, LogFiles, Services } from './services.ts';
import { isOfSnapshots } from './snapshot-files.ts';
import type { Visit } from './visit.ts';

/** A stream of events for as long as the client wants, so it is not in the load gate. */
const LIVE_PATH = 'live';

/**
 * The answer to a request, complete but not sent: who asks is known, who may not is refused, what is limited is counted.
 * Null where the connection was taken over. Throws a Problem.
 */
export async function answerRequest(visit: Visit, services: Services): Promise<Answer | null> {
  const { path, request, response } = visit;
  const own = OWN_PATHS.get(path!);
  if (own) {
    if (!isPlain(visit)) await admit(visit, services.keys, services.now());
    return own(services);
  }
  const looked = services.releases.current();
  // Mostly it is known, and a turn of the event loop is worth saving for each request.
  const release = looked instanceof Promise ? await looked : looked;
  const target = aim(visit, release);
  const now = services.now();
  if (!isPlain(visit)) await admit(visit, services.keys, now);
  if (path === LIVE_PATH && services.live) {
    services.live.listen(request, response, {
      headers: (own) => headersOf(visit, own),
      address: visit.address.ip(request),
      query: visit.query,
    });
    return null;
  }
  if (target.kind === 'verify') return answerVerify(visit, release, services, now);
  enterGate(visit, services);
  if (!release) throw noRelease();
  const prepared = answerTarget(visit, release, target, services);
  const answer = prepared instanceof Promise ? await prepared : prepared;
  if (answer.body instanceof FileBody) takeSlot(answer, visit, services);
  // Most are not, and a promise for each would be felt.
  return visit.counted && services.limiter ? counted(answer, visit, services, now) : answer;
}

/** A client that takes a file slowly, or not at all, keeps what it holds: so one may have a part of all places only. */
function takeSlot(answer: Answer, visit: Visit, { downloads }: Services): void {
  const { key, address, request, leave } = visit;
  try {
    const give = downloads.take(key ? key.holder : clientNetwork(address.ip(request)));
    visit.leave = () => {
      leave?.();
      give();
    };
  } catch (error) {
    discard(answer);
    throw error;
  }
}

function answerTarget(
  { request, path, query, holder }: Visit,
  release: ServedRelease,
  target: Exclude<Target, { kind: 'verify' }>,
  { exporter, charts, pages, log, baseUrl, live, snapshots, now }: Services,
): Promise<Answer> | Answer {
  if (path === OEMBED_PATH && baseUrl !== undefined) return answerOembed(query, release, baseUrl);
  if (target.kind === 'export') return exporter.prepare(request, query, holder ?? '', release);
  if (target.kind === 'moved') return movedAnswer(`${target.to}${query && `?${query}`}`);
  if (target.kind === 'status') return answerStatus({ name: target.name, query, now: now() }, release, live);
  if (target.kind === 'log' && log) return answerFromLog(request, query, target.file, log);
  if (target.kind === 'nothing' || target.kind === 'log') {
    if (snapshots && isOfSnapshots(path!)) return answerSnapshot(request, path!, query, release, snapshots);
    return answerMissing(request.headers.accept, release);
  }
  const { file } = target;
  if (target.kind === 'chart' && charts) return charts.prepare(request, file, query, release);
  const page = query ? pages?.answer(request, path!, query, release) : null;
  if (page) return page;
  if (query && (file.kind === 'data' || file.kind === 'proof'))
    throw new Problem('unknown_parameter', 'A data file takes no parameters.');
  const newest = live?.representation(path!, request) ?? null;
  return newest ? prepare(request, newest) : prepareFile(request, release, file);
}

function answerFromLog(request: Asked, query: string, file: LogPath, log: LogFiles): Promise<Answer> {
  if (query) throw new Problem('unknown_parameter', 'A file of the log takes no parameters.');
  return log.prepare(request, file);
}

/** What is kept beside the releases. Throws a Problem. */
async function answerSnapshot(
  request: Visit['request'],
  path: string,
  query: string,
  release: ServedRelease,
  snapshots: NonNullable<Services['snapshots']>,
): Promise<Answer> {
  const found = await snapshots.find(path);
  if (!found) return answerMissing(request.headers.accept, release);
  if ('movedTo' in found) return movedAnswer(`${found.movedTo}${query && `?${query}`}`);
  if (query && !path.endsWith('/'))
    throw new Problem('unknown_parameter', 'A file of a snapshot takes no parameters.');
  return prepare(request, found);
}

function movedAnswer(to: string): Answer {
  return { status: 308, headers: { Location: to, 'Content-Length': '0' }, body: null };
}

/** A reader in a browser gets the site's own page, everybody else a problem document. */
async function answerMissing(accept: string | undefined, release: ServedRelease): Promise<Answer> {
  const page = release.files.get('404.html');
  const isReader = /\btext\/html\b/.test(accept ?? '');
  const vary = { Vary: 'Accept' };
  if (!page || !isReader) throw new Problem('not_found', 'No file of this name is published.', vary);
  // Whole, whatever the conditions: the page stands for something else than itself.
  const { headers, body } = await prepareFile({ method: 'GET', headers: {} }, release, page);
  const type = { 'Content-Type': headers['Content-Type']!, 'Content-Length': headers['Content-Length']! };
  return { status: 404, headers: { ...type, 'Cache-Control': 'no-store', ...vary }, body };
}
