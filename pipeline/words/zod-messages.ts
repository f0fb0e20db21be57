import * as z from 'zod/mini';

// zod/mini has no language of its own: every message would be “Invalid input”.
z.config(z.locales.en());
