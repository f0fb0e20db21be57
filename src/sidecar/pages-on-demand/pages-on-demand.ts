import { hash } from 'node:crypto';
import { SERVER_ENTRY } from '../../../pipeline/build/site/site-server.ts';
import type { Chart } from '../../../pipeline/charts/chart.ts';
import { ownParameters } from '../../../pipeline/charts/own-parameters.ts';
import { findChart } from '../../../pipeline/charts/table.ts';
import { compress } from '../../../pipeline/release/disk/compress.ts';
import { headersFor } from '../../../pipeline/release/format/headers.ts';
import type { ManifestFile } from '../../../pipeline/release/format/manifest.ts';
import { ChartCache } from '../charts/chart-cache.ts';
import { WaitingLine } from '../charts/waiting-line.ts';
import { chooseEncoding, type Encoding } from '../files/accept-encoding.ts';
import { prepare } from '../files/prepare-file.ts';
import type { ServedRelease } from '../files/releases.ts';
import { type Representation, representationHeaders } from '../files/representation.ts';
import type { Answer } from '../request/answer.ts';
import type { Asked, Pages } from '../services.ts';
import { faultOf, refuseState } from './refuse-state.ts';
import { Renderer } from './renderer.ts';

/** One thread draws; so many more may wait that the last one waits a few seconds. */
const LINE = { parallel: 1, waiting: 50 };
/** Paths that a state may be asked of: `charts/supply/`, `embed/supply/`, `embed/supply/frozen.txt`. */
const PATH = /^(charts|embed)\/([^/]+)\/(|frozen\.txt)$/;
const MOST_QUERY = 4096;

interface Page {
  status: number;
  size: number;
  representations: ReadonlyMap<Encoding | null, Representation>;
}

export interface PagesOnDemand extends Pages {
  close: () => Promise<void>;
}

/** Pages of charts in any state, as the program of the release makes them. `documents`: folder of what people write. */
export function createPagesOnDemand({ documents }: { documents: string }): PagesOnDemand {
  const cache = new ChartCache<Page>();
  const line = new WaitingLine(LINE);
  let current: { release: ServedRelease; renderer: Renderer } | null = null;
  const rendererOf = (release: ServedRelease) => {
    if (current?.release !== release) {
      void current?.renderer.end();
      current = { release, renderer: new Renderer(release, documents) };
    }
    return current.renderer;
  };
  return {
    answer: (request, path, { query, client }, release) => {
      const asked = askedPage(path, query, release);
      if (!asked) return null;
      const key = `${release.id} ${asked.url}`;
      const make = () => line.run(client, () => render(rendererOf(release), asked, release));
      return faultOf(asked, release).then(async (fault) =>
        fault === null
          ? answer(request, await cache.get(key, make))
          : refuseState(asked.file, fault, release),
      );
    },
    close: async () => current?.renderer.end(),
  };
}

interface AskedPage {
  chart: Chart;
  parameters: URLSearchParams;
  file: ManifestFile;
  /** In the program's own addresses. */
  url: string;
}

/** Null for what is no page of a chart, or has nothing to choose. */
function askedPage(path: string, query: string, { files, manifest }: ServedRelease): AskedPage | null {
  const [, folder, id = '', rest = ''] = PATH.exec(path) ?? [];
  const file = files.get(rest === '' ? `${path}index.html` : path);
  const isThere = manifest.unlisted.some((one) => one.file === SERVER_ENTRY);
  if (query.length > MOST_QUERY || !folder || !file || !isThere) return null;
  const chart = findChart(id);
  if (!chart) return null;
  // One key for the many spellings of a query.
  const parameters = ownParameters(query);
  if (parameters.size === 0) return null;
  return { chart, parameters, file, url: `/${folder}/on-demand/${id}/${rest}?${parameters}` };
}

async function render(renderer: Renderer, { url, file }: AskedPage, release: ServedRelease): Promise<Page> {
  const { status, body } = await renderer.render(url);
  const { br, gzip } = await compress(body, file.media_type);
  const bodies = [
    [null, body],
    ['br', br],
    ['gzip', gzip],
  ] as [Encoding | null, Buffer | null | undefined][];
  const modified = Math.floor(Date.parse(release.manifest.timestamp) / 1000) * 1000;
  const representations = bodies.flatMap(([encoding, bytes]): [Encoding | null, Representation][] => {
    if (!bytes) return [];
    const validators = { etag: `"${hash('sha256', bytes)}"`, modified, bytes: bytes.length };
    const headers = representationHeaders(headersFor(file), validators, { encoding, varies: true });
    return [
      [
        encoding,
        {
          headers,
          ...validators,
          read: (range) => (range === null ? bytes : bytes.subarray(range.first, range.last + 1)),
        },
      ],
    ];
  });
  const size = representations.reduce((sum, [, { bytes }]) => sum + bytes, 0);
  return { status, size, representations: new Map(representations) };
}

async function answer(request: Asked, { status, representations }: Page): Promise<Answer> {
  const available = [...representations.keys()].filter((encoding) => encoding !== null);
  const accept = String(request.headers['accept-encoding'] ?? 'identity');
  const representation = representations.get(chooseEncoding(accept, available))!;
  if (status === 200) return prepare(request, representation);
  // It stands for a fault: not to be kept, and no condition is about it.
  const {
    'Content-Type': type,
    'Content-Encoding': encoding,
    'Content-Length': length,
    Vary,
  } = representation.headers;
  const headers = {
    'Content-Type': type!,
    'Content-Length': length!,
    Vary: Vary!,
    'Cache-Control': 'no-store',
    ...(encoding && { 'Content-Encoding': encoding }),
  };
  const bytes = await representation.read(null);
  return { status, headers, body: request.method === 'HEAD' ? null : bytes };
}
