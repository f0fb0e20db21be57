import { z } from 'zod';

// The content policy forbids making code from text, which schemas try as they are made: this has to come before all of them.
z.config({ jitless: true });
