import { z } from 'zod';
import { CATHEDRALS } from '../../../pipeline/ledger/events/vocabulary.ts';
import { MessageId } from './client-message.ts';

export const Share = z.number().min(0).max(1);
export const Mic = z.number().min(0);
export const Tick = z.int().min(0);
export const Count = z.int().min(0);
export const Cathedral = z.enum(CATHEDRALS);
export const ReplyTo = MessageId.optional().describe(
  'The id of the message that it answers, if that had one.',
);

/** A member of the given shape for each name. */
export function byName<Name extends string, Shape extends z.ZodType>(names: readonly Name[], shape: Shape) {
  return Object.fromEntries(names.map((name) => [name, shape])) as Record<Name, Shape>;
}
