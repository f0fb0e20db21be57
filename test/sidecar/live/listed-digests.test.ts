import { createHash } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { LIVE_PATHS } from '../../../pipeline/artifacts/table.ts';
import { CHARTS } from '../../../pipeline/charts/table.ts';
import { Releases } from '../../../src/sidecar/files/releases.ts';
import { ServedSnapshots } from '../../../src/sidecar/files/served-snapshots.ts';
import { openLive } from '../../../src/sidecar/live/open-live.ts';
import { build } from '../../build/run-build.ts';
import { get, tinyApp } from '../tiny-app.ts';
import { BASE_URL, DOCUMENTS, liveLedger, VERIFIERS } from './live-ledger.ts';
import { until } from './until.ts';

interface Listed {
  url: string;
  sha256?: string | undefined;
  bytes?: string | number | undefined;
}

/** What a document says of its files. */
// biome-ignore lint/suspicious/noExplicitAny: the text of a file, whose form other tests check
const LISTED: Record<string, (document: any) => Listed[]> = {
  'datapackage.json': ({ resources }) =>
    resources.map(({ path, hash, bytes }: Record<string, string>) => ({
      url: `${BASE_URL}/${path}`,
      sha256: hash?.replace('sha256:', ''),
      bytes,
    })),
  'catalog.jsonld': (catalogue) =>
    catalogue['dcat:dataset']
      .flatMap((dataset: Record<string, unknown>) => dataset['dcat:distribution'])
      .map((one: Record<string, Record<string, Record<string, string>>>) => ({
        url: one['dcat:downloadURL']?.['@id'],
        sha256: one['spdx:checksum']?.['spdx:checksumValue']?.['@value'],
        bytes: one['dcat:byteSize']?.['@value'],
      })),
  'croissant.json': ({ distribution }) =>
    distribution.map(({ contentUrl, sha256, contentSize }: Record<string, string>) => ({
      url: contentUrl,
      sha256,
      bytes: contentSize?.replace(' B', ''),
    })),
  ...Object.fromEntries(CHARTS.map(({ id }) => [`charts/${id}.json`, ({ sources }) => sources])),
};

test('after a new event, every digest and size that is published beside an address is that of a download', async () => {
  const ledger = await liveLedger();
  const { out } = ledger;
  await build({
    ...{
      ledger: ledger.ledger,
      out,
      verifiers: VERIFIERS,
      documents: DOCUMENTS,
      companions: null,
      baseUrl: BASE_URL,
    },
    ...{ contact: 'data@example.org', software: 'cathedral-data-service/test', extras: true, charts: true },
    ...{ waitMs: 0, log: () => {} },
  });
  const report = (error: unknown) => void expect.unreachable(String(error));
  const live = await openLive({
    ...{
      ledger: ledger.ledger,
      verifiers: VERIFIERS,
      documents: DOCUMENTS,
      companions: null,
      baseUrl: BASE_URL,
    },
    ...{ releases: new Releases(out, report), pollMs: 50, hasReplicas: false, report },
  });
  onTestFinished(live.close);
  const { app } = await tinyApp(out, { services: { live, snapshots: new ServedSnapshots(out) } });
  const bytesAt = async (url: string) => {
    const { pathname, search } = new URL(url);
    const { statusCode, rawPayload } = await get(app, pathname + search);
    expect([url, statusCode]).toEqual([url, 200]);
    return rawPayload;
  };
  const supply = `${BASE_URL}/economy/supply`;
  const before = String(await bytesAt(supply));
  await ledger.advance(40);
  await until(async () => String(await bytesAt(supply)) !== before);

  for (const [path, list] of Object.entries(LISTED)) {
    const listed = list(JSON.parse(String(await bytesAt(`${BASE_URL}/${path}`))));
    const found = listed.filter(({ sha256, bytes }) => sha256 !== undefined || bytes !== undefined);
    expect([path, found.length > 0]).toEqual([path, true]);
    for (const { url, sha256, bytes } of found) {
      const download = await bytesAt(url);
      const own = createHash('sha256').update(download).digest('hex');
      expect([path, url, sha256, Number(bytes ?? download.length)]).toEqual([
        path,
        url,
        own,
        download.length,
      ]);
    }
    if (path.startsWith('charts/')) continue;
    // Those that follow the ledger are listed, too.
    const addresses = LIVE_PATHS.map((one) => `${BASE_URL}/${one}`);
    expect(listed.map(({ url }) => url)).toEqual(expect.arrayContaining(addresses));
  }
});
