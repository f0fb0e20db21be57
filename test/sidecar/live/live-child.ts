import { serveLive } from './live-server.ts';

/** A server in a process of its own, which a test can kill: `live-child.ts LEDGER OUT PORT`. Prints its port. */
const [, , ledger = '', out = '', port = '0'] = process.argv;
const { url } = await serveLive({ ledger, out }, {}, Number(port));
process.stdin.resume().on('end', () => process.exit());
process.stdout.write(`${new URL(url).port}\n`);
