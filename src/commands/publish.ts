import { publishSite } from '../../pipeline/bucket/publish-site.ts';
import { purgeCaches } from '../../pipeline/build/purge-caches.ts';
import { integer, objectAddress } from '../../pipeline/config/setting.ts';
import { CREDENTIAL_SETTINGS } from '../../pipeline/config/settings.ts';
import { software } from '../../pipeline/config/software.ts';
import { credentialsFrom } from '../../pipeline/objects/object-address.ts';
import { openObjectStore } from '../../pipeline/objects/object-store.ts';
import { formatDuration } from '../../pipeline/words/duration.ts';
import { formatCount } from '../../pipeline/words/number.ts';
import { defineCommand, formatJson, json, SWITCH } from './command.ts';

export const publish = defineCommand({
  summary: 'Uploads the public files of the current release to a bucket that a CDN or a web server shows.',
  details:
    'It uploads what changed, each object with its media type and cache time, and what refers to others after them. Restricted files and entries of the log are never uploaded. Run it after each release. The bucket is not the one of CATHEDRAL_RELEASES, through which the machines of a service share releases.',
  examples: [
    'cathedral publish --to s3+https://objects.example.org/data --out /srv/cathedral',
    'cathedral publish --to s3+https://s3.eu-west-1.amazonaws.com/data.example.org --folder-pages --json',
  ],
  settings: ['out', 'wait', ...CREDENTIAL_SETTINGS, 'purgeUrl', 'purgeHeader', 'purgeBody'],
  flags: {
    to: {
      flag: 'to',
      default: null,
      unit: 's3+https://host[:port]/bucket[/prefix][?region=…]',
      description:
        'The bucket to upload to. The credentials belong in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, because every user of a machine sees flags.',
      required: true,
      schema: objectAddress,
    },
    folderPages: {
      flag: 'folder-pages',
      description:
        'Also stores the page of each folder at the address of the folder (`government/`), for hosts that do not answer it with `government/index.html`.',
      ...SWITCH,
    },
    graceHours: {
      flag: 'grace-hours',
      default: '24',
      unit: 'hours, 0 to 8760',
      description:
        'How long objects stay that the release no longer has. Readers and caches may still refer to them; a day is much longer than any cache keeps a page.',
      schema: integer(0, 8_760),
    },
    recheck: {
      flag: 'recheck',
      description:
        'Asks the store for the hash and the headers of every object, and uploads again what differs.',
      ...SWITCH,
    },
    json,
  },
  async run(config, { now, progress, print }) {
    const started = now();
    const { out, wait, to, folderPages, graceHours, recheck, purgeUrl } = config;
    const store = await openObjectStore(to, credentialsFrom(config), {
      access: 'write',
      software: software().replace(' ', '/'),
      log: (line) => progress.note(line),
    });
    try {
      const report = await publishSite({
        out,
        store,
        waitMs: wait * 1000,
        graceMs: graceHours * 3_600_000,
        now,
        folderPages,
        recheck,
        log: (line) => progress.stage(line),
      });
      progress.end();
      const { version, release, uploaded, unchanged, removed, kept } = report;
      if (purgeUrl !== null && uploaded.files + removed > 0) {
        const { purgeHeader: header, purgeBody: body } = config;
        const fault = await purgeCaches({ url: purgeUrl, header, body });
        if (fault !== null) progress.note(fault);
      }
      if (config.json) print(formatJson(report));
      else
        print(
          `published: version ${version}, ${release}: ${formatCount(uploaded.files, 'file', 'files')} uploaded, ${uploaded.bytes} bytes; ${unchanged} unchanged, ${removed} removed, ${kept} to be removed later; ${formatDuration(now() - started)}`,
        );
      return 0;
    } finally {
      store.close();
    }
  },
});
