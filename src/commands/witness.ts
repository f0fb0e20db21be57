import { keyName } from '../../pipeline/config/settings/publishing.ts';
import { defineCommand } from './command.ts';

const witness = defineCommand({
  summary:
    'Runs a witness: cosigns the checkpoints of other publishers’ logs, each only if it extends the one before.',
  details:
    'It speaks the protocol of c2sp.org/tlog-witness, and makes its key when it first starts. Give its verifier key, which it prints, to publishers and readers. docs/witnesses.md says how to run it.',
  examples: [
    'cathedral witness --state /srv/witness --logs logs.policy --witness-name witness.example.org/w1',
  ],
  isService: true,
  settings: ['host', 'port', 'grace'],
  flags: {
    state: {
      required: true,
      unit: 'a folder',
      description:
        'Where the witness records the last checkpoint of each log that it cosigned. Never replace it with an older copy: the witness would cosign a second history.',
      path: true,
    },
    logs: {
      required: true,
      unit: 'a file, a policy of c2sp.org/tlog-policy',
      description:
        'The logs that the witness follows, one “log <verifier key>” line for each key. Witnesses and a quorum in that file are ignored.',
      path: true,
    },
    key: {
      unit: 'a file',
      description:
        'The keys of the witness. Without it, FOLDER/witness.key of --state. The first start makes one.',
      path: true,
    },
    name: {
      flag: 'witness-name',
      unit: 'an address without https://, or a word',
      description: 'The name of the key. Only the first start, which makes the key, needs it.',
      schema: keyName,
    },
  },
  async run(config, context) {
    const { runWitness } = await import('../service/witness.ts');
    await runWitness(config, context, context.untilStopped());
    return 0;
  },
});

export const COMMANDS = { witness };
