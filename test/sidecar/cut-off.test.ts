import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { StreamedBody } from '../../src/sidecar/request/streamed-body.ts';
import { publishTiny } from '../release/publish-tiny.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { closed } from './closed.ts';
import { tinyApp } from './tiny-app.ts';

test('a response that fails half-way is no whole one, in HTTP/1.0 either', async () => {
  const out = await temporaryFolder();
  await publishTiny(out, { events: 5 });
  const body = async function* () {
    yield Buffer.from('a,b\n1,2\n');
    await new Promise((resolve) => setTimeout(resolve, 50));
    throw new Error('the disk');
  };
  const headers = { 'Content-Type': 'text/csv' };
  const pages = {
    answer: async () => ({ status: 200, headers, body: new StreamedBody(body(), () => {}) }),
  };
  const { app } = await tinyApp(out, { services: { pages } });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const ask = async (version: string) => {
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    let text = '';
    let end = 'in order';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      end = code!;
    });
    socket.write(`GET /none.csv HTTP/${version}\r\nHost: localhost\r\n\r\n`);
    await closed(socket);
    return [text.slice(text.indexOf('\r\n\r\n') + 4), end];
  };
  expect(await ask('1.0')).toEqual(['a,b\n1,2\n', 'ECONNRESET']);
  // Without the last chunk.
  expect(await ask('1.1')).toEqual(['8\r\na,b\n1,2\n\r\n', 'in order']);
});
