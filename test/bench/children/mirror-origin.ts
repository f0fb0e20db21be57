/** An origin with one file of so many bytes: `mirror-origin.ts BYTES`. Prints its address. */
import { LyingServer } from '../../contract/lies/host.ts';
import { smallSite } from '../../mirror/small-service.ts';

const bytes = Number(process.argv[2]);
const files = (all: Map<string, Buffer>) => all.set('large', Buffer.alloc(bytes, 1));
console.log((await LyingServer.start(smallSite({ release: 1, files }))).url);
