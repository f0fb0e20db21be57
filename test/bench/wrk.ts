import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface Load {
  url: string;
  connections: number;
  seconds: number;
  /** Of wrk, in Lua. */
  script?: string;
}

export interface Throughput {
  requestsPerSecond: number;
  bytesPerSecond: number;
}

const UNITS: Record<string, number> = { B: 1, KB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30 };

/** Has wrk ask for one address, in one thread. Throws where an answer is not 2xx or 3xx, or a connection fails. */
export async function wrk({ url, connections, seconds, script }: Load): Promise<Throughput> {
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s'];
  const { stdout } = await promisify(execFile)('wrk', [...args, ...(script ? ['-s', script] : []), url]);
  const faults = /^.*(?:Non-2xx|Socket errors).*$/m.exec(stdout);
  if (faults) throw new Error(`${url}: ${faults[0].trim()}`);
  const requests = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)![1]);
  const [, amount, unit] = /Transfer\/sec:\s+([\d.]+)([KMG]?B)/.exec(stdout)!;
  return { requestsPerSecond: requests, bytesPerSecond: Number(amount) * UNITS[unit!]! };
}
