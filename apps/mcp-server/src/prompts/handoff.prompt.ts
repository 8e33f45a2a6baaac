import { z } from 'zod';
import type { Prompt } from './prompt';

export const handoffPrompt: Prompt = {
  name: 'handoff',
  title: 'Hand work to a teammate',
  description: 'Guides a handoff that the teammate can act on without asking back.',
  args: {
    to: z.string().optional().describe('Who gets it: a handle like frank@acme, or what they know or own.'),
    about: z.string().optional().describe('What it is about.'),
  },
  text: ({ to, about }) =>
    [
      `Prepare a handoff${to ? ` to ${to}` : ''}${about ? ` about: ${about}` : ' of what we did in this session'}.`,
      '',
      '1. Find the right handle with list_teammates, unless it is certain.',
      '2. Choose the intent: inform when no answer is expected, ask_question when one is, propose_action when they should change something.',
      '3. Write the summary for somebody who has not seen this session: what was done, what matters to them, what is open, how they can tell that it works.',
      '4. Attach what they need: diffs, file references with the commit, the test command, contracts, links. No secrets.',
      '5. Show me the whole handoff, and send it with handoff_to_teammate once I agree.',
    ].join('\n'),
};
