import fc from 'fast-check';
import { isSweep } from './setups/sweep.ts';

/** `npm test` gives the same answer each time for the same code, so property tests take the same examples; with `SWEEP`, others each time. */
if (!isSweep) fc.configureGlobal({ seed: 1 });
