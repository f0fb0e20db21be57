import { z } from 'zod';

// The content policy forbids eval, which zod tries when a schema is created. So this import must come before all schemas.
z.config({ jitless: true });
