import { headerSecret, numbers, objectAddress, settings, storePlace, text } from '../setting.ts';

export const MANY_MACHINES = settings('Many machines', {
  releases: {
    unit: 's3+https://host[:port]/bucket[/prefix][?region=…]',
    description:
      'The bucket of an S3-compatible object store through which several machines share releases. Without it, releases stay on this machine. The credentials belong in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, because every user of a machine sees flags. s3+http:// reaches a store on this machine, and with the parameter unencrypted=true any other.',
    schema: objectAddress,
  },
  switchDelay: {
    default: '10',
    ...numbers('seconds', 0, 60),
    description:
      'How long after a publisher has named a new release in the bucket all servers switch to it. Until then they fetch it. Raise it if some take longer and switch late.',
  },
  accessKeyId: {
    flag: null,
    env: 'AWS_ACCESS_KEY_ID',
    unit: 'an access key, in ASCII without spaces and line ends',
    description: 'The access key of the object store, read from the environment only, like its secret.',
    secret: true,
    schema: headerSecret,
  },
  secretAccessKey: {
    flag: null,
    env: 'AWS_SECRET_ACCESS_KEY',
    unit: 'the secret of the access key, without a space or a line end around it',
    description: 'The secret of the access key, read from the environment only.',
    secret: true,
    schema: text.regex(/^\S(.*\S)?$/),
  },
  sessionToken: {
    flag: null,
    env: 'AWS_SESSION_TOKEN',
    unit: 'a session token, in ASCII without spaces and line ends',
    description: 'Part of temporary credentials of the object store, read from the environment only.',
    secret: true,
    schema: headerSecret,
  },
  store: {
    group: 'Stores',
    default: 'var/',
    unit: 'a folder on a local disk, or postgres://user@host:port,host2:port2/database?sslmode=…',
    description:
      'Where API keys, counts of requests and the access log are. Of a folder: keys/keys.sqlite, limits/limits.db and access-log/log.db, each in its own folder, which may have another owner and other back-ups. Or the PostgreSQL database that several machines share, which also holds what else they have to agree on, in its schema cathedral. Name the primary and its standbys: the one that takes writes is used. A password belongs in PGPASSWORD or a password file.',
    path: true,
    schema: storePlace,
  },
});
