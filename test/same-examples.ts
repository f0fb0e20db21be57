import fc from 'fast-check';

/** `npm test` gives the same answer each time for the same code, so property tests take the same examples; with `SWEEP=all`, others each time. */
if (process.env.SWEEP !== 'all') fc.configureGlobal({ seed: 1 });
