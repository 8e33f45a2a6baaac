import type { z } from 'zod';

/** A prompt as a person picks it. */
export interface Prompt {
  name: string;
  title: string;
  description: string;
  args: Record<string, z.ZodOptional<z.ZodString>>;
  /** What the model is asked, in the user's name. */
  readonly text: (given: Record<string, string | undefined>) => string;
}
