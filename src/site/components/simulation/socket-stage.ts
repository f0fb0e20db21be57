import type { SimulationError } from '../../../simulation/protocol/server-message.ts';
import type { SimulationUpdate } from '../../../simulation/protocol/session.ts';
import type { Stage, Told } from './stage.ts';

/** A service that does not answer by then is taken to be none, ms. */
const PATIENCE = 4000;

/** The service’s simulation, once it is connected; null where there is none. `lost`: it was there, and is not any more. */
export function socketStage(told: Told, lost: () => void): Promise<Stage | null> {
  const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/philosophy/simulation`);
  return new Promise((resolve) => {
    const giveUp = () => {
      resolve(null);
      socket.close();
    };
    const patience = setTimeout(giveUp, PATIENCE);
    let isOpen = false;
    socket.addEventListener('open', () => {
      clearTimeout(patience);
      isOpen = true;
      resolve({ say: (message) => socket.send(JSON.stringify(message)), close: () => socket.close() });
    });
    socket.addEventListener('message', ({ data }: MessageEvent<string>) => {
      const message = JSON.parse(data) as SimulationUpdate | SimulationError;
      if (message.type === 'simulation_update') told.update(message);
      if (message.type === 'simulation_error') told.refused(message.problem.code, message.problem.detail);
    });
    socket.addEventListener('close', () => {
      clearTimeout(patience);
      if (isOpen) lost();
      resolve(null);
    });
  });
}
