import type { ClientMessage } from '../../../simulation/protocol/client-message.ts';
import type { SimulationUpdate } from '../../../simulation/protocol/session.ts';

export interface Told {
  update: (update: SimulationUpdate) => void;
  /** A message that was not followed; what was before goes on. */
  refused: (code: string, detail: string) => void;
}

/** Where a run is played: at the service, or in the page. Both speak the same messages. */
export interface Stage {
  say: (message: ClientMessage) => void;
  close: () => void;
}
