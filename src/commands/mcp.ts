import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { pathOrAddress } from '../../pipeline/config/setting.ts';
import { readVerifiers } from '../../pipeline/ledger/ledger-keys.ts';
import { FolderOrigin } from '../../pipeline/verify/folder-origin.ts';
import { HeldRelease } from '../mcp/held-release.ts';
import { createMcpServer } from '../mcp/mcp-server.ts';
import { defineCommand } from './command.ts';
import { httpOrigin, trustedKeys } from './reader.ts';
import { buildInfo } from './software.ts';

export const mcp = defineCommand({
  summary: 'Serves the tools of a service to a language model: an MCP server over standard input and output.',
  details:
    'A client such as an editor or an assistant starts it. It reads a service, a mirror or a folder, verifies what it reads against the publisher’s signature, and writes nothing but the protocol to standard output. It ends with its standard input. A running service has the same tools at /mcp. docs/mcp.md has the configuration of common clients.',
  examples: [
    'cathedral mcp https://data.example.org --verifier-key data.example.org+1a2b3c4d+AQ…',
    'cathedral mcp /srv/mirror',
  ],
  isReader: true,
  settings: ['readerKeys', 'timeLimit', 'readerApiKey'],
  optional: {
    ledgerKey: 'Without it, the keys that the release names are used, which the publisher signed.',
  },
  positionals: ['place'],
  flags: {
    place: {
      flag: 'place',
      default: null,
      unit: 'http(s)://host[:port][/path], or a folder',
      description: 'What to read: the address of a service or a mirror, or the folder of either.',
      required: true,
      path: true,
      schema: pathOrAddress(),
    },
  },
  async run(config, { progress, now, untilStopped }) {
    const { place, readerKeys, ledgerKey, readerApiKey: apiKey } = config;
    const log = (line: string) => progress.note(line);
    const open = () =>
      /^https?:\/\//.test(place)
        ? httpOrigin(place, config, { apiKey, isStatic: false, log })
        : FolderOrigin.at(place);
    const keys = readerKeys === null ? null : await trustedKeys(readerKeys);
    const ledgerKeys = ledgerKey === null ? null : await readVerifiers(ledgerKey);
    const held = new HeldRelease({ open, keys, ledgerKeys, now });
    // A wrong address or key shows now, and not in the first answer.
    await held.read(async () => {});
    const onFault = (error: unknown) => log(error instanceof Error ? `${error.stack}` : String(error));
    const options = { held, count: async () => {}, version: buildInfo().version, onFault };
    const connection = serveStdio(() => createMcpServer(options), { onerror: (error) => log(error.message) });
    const stopped = untilStopped();
    await new Promise<void>((resolve) => {
      process.stdin.once('end', resolve).once('close', resolve);
      stopped.addEventListener('abort', () => resolve(), { once: true });
    });
    await connection.close();
    return 0;
  },
});
