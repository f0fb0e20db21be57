import { numbers, objectAddress } from '../../pipeline/config/setting.ts';
import { type Config, CREDENTIAL_SETTINGS, SOURCE_SETTINGS } from '../../pipeline/config/settings.ts';
import { databaseOf } from '../../pipeline/config/store-place.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { formatDuration } from '../../pipeline/words/duration.ts';
import { formatCount } from '../../pipeline/words/number.ts';
import { RUN_SETTINGS } from '../service/run-settings.ts';
import { LISTEN_SETTINGS } from '../sidecar/server-settings.ts';
import { defineCommand, importFull, json, present } from './command.ts';
import { assertWhole, ORGANISATION_FLAGS } from './organisation.ts';

/** For `check` of commands that publish. */
export function assertShared({ store, releases }: Pick<Config, 'store' | 'releases'>): CathedralError[] {
  if (releases === null || databaseOf(store) !== null) return [];
  const place = '--releases (CATHEDRAL_RELEASES)';
  const expected =
    'a database in CATHEDRAL_STORE beside it: publishers that share a bucket need one that decides which of them signs';
  return [new CathedralError('config_invalid', { place, expected, found: 'no database' })];
}

const start = defineCommand({
  summary: 'Runs the service: publishes every six hours, catches up on missed slots, and serves.',
  details:
    '`npm start` runs this command with --demo. It listens on PORT, or on 8080. To publish from a timer of your own instead, use `build` and `serve`.',
  examples: [
    'cathedral start --ledger /srv/ledger --out /srv/cathedral --base-url https://data.example.org',
    'PORT=9000 cathedral start --demo',
  ],
  isService: true,
  settings: [...RUN_SETTINGS, ...LISTEN_SETTINGS, 'sealDelay'],
  flags: {
    demo: {
      description: 'Writes a demo ledger if there is no ledger, and keeps appending events to it.',
      switch: true,
    },
    ...ORGANISATION_FLAGS,
  },
  contradictions: [['ledgerSigningKey', 'demo', 'whose writer seals the demo ledger']],
  check: (config) => [...assertWhole(config), ...assertShared(config)],
  async run(config, context) {
    const { runService } = await import('../service/start.ts');
    await runService(config, context, context.untilStopped());
    return 0;
  },
});

const build = defineCommand({
  summary: 'Runs once: verifies what is new in the ledger and publishes it as a release.',
  details:
    'Runs are idempotent: if nothing is new, nothing is written. Readers see the previous release until the new one is complete. `start` does this every six hours and also serves.',
  examples: [
    'cathedral build --ledger /srv/ledger --out /srv/cathedral --base-url https://data.example.org',
    'cathedral build --rebuild',
    'cathedral build --without-site --json',
  ],
  settings: RUN_SETTINGS,
  flags: {
    rebuild: {
      description:
        'Starts from genesis and reuses nothing from the current release. It repairs a damaged release, and goes back to an earlier version.',
      switch: true,
    },
    givesUpSnapshots: {
      description:
        'Publishes although snapshots that were signed are missing and no copy is left. Their addresses are lost for good.',
      switch: true,
    },
    movesHere: {
      description:
        'With a database in CATHEDRAL_STORE and without CATHEDRAL_RELEASES: publishes from this folder although the database names a folder on another machine. Use it if that machine is gone.',
      switch: true,
    },
    adoptsPointer: {
      description:
        'With CATHEDRAL_RELEASES: continues from the release that the bucket names although the database is older, after a restore. Use it only if no newer back-up exists: the database has also lost keys, revocations and entries of the access log.',
      switch: true,
    },
    begin: {
      description:
        'Makes a first release in steps, as `start` does to answer sooner and with less memory: the first such run publishes the data files alone, the second compiles the site, and the next run without this flag makes the rest.',
      switch: true,
    },
    importFull,
    json,
  },
  check: assertShared,
  async run(config, context) {
    const { readWitnesses } = await import('../../pipeline/release/log/cosign-log.ts');
    const { cosignPublished } = await import('../service/cosigning.ts');
    const { runOnce } = await import('../service/run-once.ts');
    const { now, progress } = context;
    const started = now();
    const witnesses = config.witnesses === null ? null : await readWitnesses(config.witnesses);
    const report = await runOnce(config, context);
    const {
      manifest,
      outcome,
      snapshots,
      events,
      findings,
      findingCount,
      migrated,
      lacks = [],
      failure,
    } = report;
    const { release, timestamp, ledger, files } = manifest;
    const ms = now() - started;
    // A sentence may stand for several findings.
    const read = { new_snapshots: snapshots, new_events: events, findings, finding_count: findingCount };
    const about = { outcome, release, as_of: timestamp, ledger, files: files.length, lacks };
    const news = [
      formatCount(snapshots, 'new snapshot'),
      formatCount(events, 'new event'),
      formatCount(findingCount, 'finding'),
    ];
    const published = formatCount(files.length, 'file');
    const lines = [`${outcome} ${release}: ${published}; ${news.join(', ')}; ${formatDuration(ms)}`];
    if (migrated !== null) lines.push(`rebuilt from genesis: ${migrated}`);
    present({ facts: { ...about, ...read, migrated, duration_ms: ms }, lines }, config, context);
    // A service that started this run asks them itself, between its runs.
    if (witnesses && !process.channel) await cosignPublished(witnesses, config, context);
    if (failure) progress.note(`The release has no ${lacks.join(', ')}; the data files are published.`);
    if (failure) throw failure;
    return 0;
  },
});

const serve = defineCommand({
  summary: 'Serves the published release over HTTP, and every new one as soon as it is published.',
  details:
    'It publishes nothing itself: use it where `cathedral build` runs from a timer. `start` does both. With --releases it follows the releases in a bucket, and --out is a folder that it alone uses and that needs no back-up.',
  examples: [
    'cathedral serve --out /srv/cathedral --base-url https://data.example.org',
    'PORT=9000 cathedral serve --ledger /srv/ledger',
  ],
  isService: true,
  settings: [...SOURCE_SETTINGS, ...LISTEN_SETTINGS],
  optional: {
    ledger: 'Real-time paths answer from its newest events. Without it, they answer from the release.',
  },
  async run(config, context) {
    const { serveReleases } = await import('../service/serve.ts');
    await serveReleases(config, context, context.untilStopped());
    return 0;
  },
});

const publish = defineCommand({
  summary: 'Uploads the public files of the current release to a bucket that a CDN or a web server shows.',
  details:
    'It uploads what changed, each object with its media type and cache time, and uploads lists after the files that they name. Restricted files and entries of the log are never uploaded. Run it after each release. Use another bucket than that of CATHEDRAL_RELEASES, through which the machines of a service share releases.',
  examples: [
    'cathedral publish --to s3+https://objects.example.org/data --out /srv/cathedral',
    'cathedral publish --to s3+https://s3.eu-west-1.amazonaws.com/data.example.org --folder-pages --json',
  ],
  settings: ['out', 'wait', ...CREDENTIAL_SETTINGS, 'purgeUrl', 'purgeHeader', 'purgeBody'],
  flags: {
    to: {
      unit: 's3+https://host[:port]/bucket[/prefix][?region=…]',
      description:
        'The bucket to upload to. The credentials belong in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, because every user of a machine sees flags.',
      required: true,
      schema: objectAddress,
    },
    folderPages: {
      description:
        'Also stores the page of each folder at the address of the folder (`government/`), for hosts that do not answer it with `government/index.html`.',
      switch: true,
    },
    graceHours: {
      default: '24',
      ...numbers('hours', 0, 8_760),
      description:
        'How long to keep objects that the release no longer has. Readers and caches may still refer to them; a day is much longer than any cache keeps a page.',
    },
    recheck: {
      description:
        'Asks the store for the hash and the headers of every object, and uploads again what differs.',
      switch: true,
    },
    json,
  },
  async run(config, { now, progress }) {
    const { publishSite } = await import('../../pipeline/bucket/publish-site.ts');
    const { purgeCaches } = await import('../../pipeline/build/purge-caches.ts');
    const { withBucket } = await import('../../pipeline/objects/with-bucket.ts');
    const started = now();
    const { out, wait, to, folderPages, graceHours, recheck, purgeUrl: url } = config;
    const bucket = { access: 'write', log: progress.note } as const;
    const report = await withBucket({ ...config, releases: to }, bucket, (store) =>
      publishSite({
        out,
        store: store!,
        waitMs: wait * 1000,
        graceMs: graceHours * 3_600_000,
        now,
        folderPages,
        recheck,
        log: (line) => progress.stage(line),
      }),
    );
    progress.end();
    const { version, release, uploaded, unchanged, removed, kept } = report;
    if (url !== null && uploaded.files + removed > 0) {
      const fault = await purgeCaches({ url, header: config.purgeHeader, body: config.purgeBody });
      if (fault !== null) progress.note(fault);
    }
    const files = `${formatCount(uploaded.files, 'file')} uploaded, ${uploaded.bytes} bytes`;
    const others = `${unchanged} unchanged, ${removed} removed, ${kept} to be removed later`;
    return {
      facts: report,
      lines: `published: version ${version}, ${release}: ${files}; ${others}; ${formatDuration(now() - started)}`,
    };
  },
});

export const COMMANDS = { start, build, serve, publish };
