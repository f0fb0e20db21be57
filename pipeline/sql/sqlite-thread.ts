import { parentPort, workerData } from 'node:worker_threads';
import { type Call, type Outcome, SqliteCalls } from './sqlite-calls.ts';

export interface Request {
  id: number;
  call: Call;
}

export interface Reply {
  id: number;
  outcome: Outcome;
}

const port = parentPort!;
const calls = new SqliteCalls(workerData.waitMs);

port.on('message', async ({ id, call }: Request) => {
  port.postMessage({ id, outcome: await calls.handle(call) } satisfies Reply);
});
