import { playBatch } from '../../../../simulation/laboratory/batch.ts';
import type { RunRow } from '../../../../simulation/laboratory/run-row.ts';
import type { SetUp } from '../../../../simulation/laboratory/set-up.ts';

/** The rows since the last message. After the last one it has nothing more to do. */
export interface BatchNews {
  rows: RunRow[];
  isDone: boolean;
}

/** Ten times a second is enough to see that it moves. */
const EVERY_MS = 100;

const place = self as unknown as {
  onmessage: (event: MessageEvent<SetUp>) => void;
  postMessage: (news: BatchNews) => void;
};

place.onmessage = ({ data }) => {
  let rows: RunRow[] = [];
  let told = performance.now();
  for (const row of playBatch(data)) {
    rows.push(row);
    const now = performance.now();
    if (now - told < EVERY_MS) continue;
    place.postMessage({ rows, isDone: false });
    rows = [];
    told = now;
  }
  place.postMessage({ rows, isDone: true });
};
