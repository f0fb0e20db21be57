import type { z } from 'zod';
import type { Area } from '../../pipeline/artifacts/artifact.ts';
import type { HeldRelease } from './held-release.ts';

/** What a call works with. */
export interface Call {
  held: HeldRelease;
  /** Counts a request for data of an area. Throws a Problem beyond the quota. */
  count: (area: Area) => Promise<void>;
  /** Aborts when the client cancels, disconnects, or has waited too long. */
  signal: AbortSignal;
}

export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  name: string;
  title: string;
  /** For the model: what it answers, and what to do with the answer. */
  description: string;
  input: Input;
  output: Output;
  /** `text`: one or two sentences that can stand alone. Throws a ToolError, a Problem or a CathedralError. */
  run: (args: z.output<Input>, call: Call) => Promise<{ text: string; value: z.input<Output> }>;
}

/** The types of a tool’s arguments and result follow from its schemas. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
): Tool {
  return tool as unknown as Tool;
}
