import { parseMessage } from '../../../src/simulation/protocol/parse-message.ts';
import { errorMessage } from '../../../src/simulation/protocol/problems.ts';
import { answerTo, NEW_SESSION, receive, type Session } from '../../../src/simulation/protocol/session.ts';

export { asyncApiText } from '../../sidecar/simulation/async-api-text.ts';
export { askUpgrade, closeCode, frame, OPCODES, rawClient } from '../../sidecar/simulation/raw-client.ts';
export {
  openClient,
  refusedUpgrade,
  type SimulationClient,
} from '../../sidecar/simulation/simulation-client.ts';
export { simulationServer } from '../../sidecar/simulation/simulation-server.ts';

/** A conversation without a connection: the text of a message in, the text of its answer out. It needs no clock, so nothing runs by itself. */
export function conversation(): (message: object) => string {
  let session: Session = NEW_SESSION;
  return (message) => {
    try {
      const parsed = parseMessage(JSON.stringify(message));
      session = receive(session, parsed, { now: 0, newSeed: () => 42 });
      return JSON.stringify(answerTo(parsed, session));
    } catch (error) {
      const refusal = errorMessage(error);
      if (refusal === null) throw error;
      return JSON.stringify(refusal);
    }
  };
}
