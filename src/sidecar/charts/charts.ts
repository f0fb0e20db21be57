import { hash } from 'node:crypto';
import { chartBytes } from '../../../pipeline/charts/files/chart-bytes.ts';
import { compress } from '../../../pipeline/release/disk/compress.ts';
import { headersFor } from '../../../pipeline/release/format/headers.ts';
import type { ManifestFile } from '../../../pipeline/release/format/manifest.ts';
import { chooseEncoding, type Encoding } from '../files/accept-encoding.ts';
import { prepare, prepareFile } from '../files/prepare-file.ts';
import type { ServedRelease } from '../files/releases.ts';
import { type Representation, representationHeaders } from '../files/representation.ts';
import type { Answer } from '../request/answer.ts';
import type { Asked, Charts } from '../services.ts';
import { ChartCache } from './chart-cache.ts';
import { type AskedChart, asProblem, parseChartQuery } from './chart-query.ts';
import type { WriteChart } from './chart-writer.ts';
import { WaitingLine } from './waiting-line.ts';

/** Half of the thread pool's threads, which also read files; and so many that the last one waits a few seconds. */
const LINE = { parallel: 2, waiting: 50 };

/** A chart's file in some state, in every encoding that makes it smaller. */
interface Drawn {
  size: number;
  /** By encoding; null: as it is. */
  representations: ReadonlyMap<Encoding | null, Representation>;
}

export interface ChartsOptions {
  write: WriteChart;
  /** Without a slash at the end. */
  baseUrl: string;
  cache?: ChartCache<Drawn>;
  line?: WaitingLine;
}

/**
 * The files of charts in the states that addresses ask for, drawn from the files of the release. What was drawn is kept
 * for the release; the state that a chart has by itself is the file of the release.
 */
export function createCharts(options: ChartsOptions): Charts {
  const { cache = new ChartCache<Drawn>(), line = new WaitingLine(LINE) } = options;
  return {
    prepare: async (request, file, { query, client }, release) => {
      const asked = parseChartQuery(file.path, query);
      if (asked.canonical === '') return prepareFile(request, release, file);
      const key = `${release.id} ${file.path} ${asked.canonical}`;
      const drawn = await cache.get(key, () => line.run(client, () => draw(asked, file, release, options)));
      return answer(request, drawn);
    },
  };
}

async function draw(
  { chart, content, state }: AskedChart,
  file: ManifestFile,
  release: ServedRelease,
  { write, baseUrl }: ChartsOptions,
): Promise<Drawn> {
  const sources = chart.sources.map((path) => ({ path, sha256: release.files.get(path)!.sha256 }));
  const job = { dir: release.dir, id: chart.id, state, content, sources, baseUrl };
  const text = await write(job).catch((error: unknown) => {
    throw asProblem(error);
  });
  return drawnOf(await chartBytes(text, content), file, release);
}

/** With the headers that the release's own file has. */
async function drawnOf(bytes: Uint8Array, file: ManifestFile, release: ServedRelease): Promise<Drawn> {
  const { br, gzip } = await compress(bytes, file.media_type);
  const plain = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const bodies: [Encoding | null, Buffer][] = [[null, plain]];
  if (br) bodies.push(['br', br]);
  if (gzip) bodies.push(['gzip', gzip]);
  const modified = Math.floor(Date.parse(release.manifest.timestamp) / 1000) * 1000;
  const general = headersFor(file);
  const representations = bodies.map(([encoding, body]): [Encoding | null, Representation] => {
    const validators = { etag: `"${hash('sha256', body)}"`, modified, bytes: body.length };
    const varies = bodies.length > 1;
    const headers = representationHeaders(general, validators, { encoding, varies });
    const read: Representation['read'] = (range) =>
      range === null ? body : body.subarray(range.first, range.last + 1);
    return [encoding, { headers, ...validators, read }];
  });
  const size = bodies.reduce((sum, [, { length }]) => sum + length, 0);
  return { size, representations: new Map(representations) };
}

function answer(request: Asked, { representations }: Drawn): Answer | Promise<Answer> {
  const available = [...representations.keys()].filter((encoding) => encoding !== null);
  const { range, 'accept-encoding': accept } = request.headers;
  // A range is of the file as it is.
  const encoding = range ? null : chooseEncoding(String(accept ?? 'identity'), available);
  return prepare(request, representations.get(encoding)!);
}
