import { shellWord } from '@agentrelay/untrusted-text';
import { mintInvite, OutcomeUnknown, redeemInvite, registerAgent, Unreachable } from '@agentrelay/relay-client';
import * as answers from './answers';
import { CommandFailed } from './command-failed';
import { wordsOf } from './error-words';

/**
 * As the functions of the client that they are called like, with their answers checked. A silent relay is told with what
 * that leaves in doubt, and with a step that needs no connected workstation. @throws StrangeAnswer, CommandFailed
 */
export const newcomers = {
  async mint(...args: Parameters<typeof mintInvite>) {
    const doubt = 'If an invite was made, nobody has its link, and it ends by itself.';
    return answers.invite(
      await heard(mintInvite(...args), args[0], doubt, 'Run the same command again.'),
      'the invite',
    );
  },
  async redeem(...args: Parameters<typeof redeemInvite>) {
    const next = 'Run the same line again. When it says that the invite was used, ask for another: that one will work.';
    const doubt = 'It is unknown whether the invite was used.';
    return answers.registered(await heard(redeemInvite(...args), args[0], doubt, next), 'the agent');
  },
  async register(...args: Parameters<typeof registerAgent>) {
    const [url, , { handle }] = args;
    const next = `Run the same command again. When the handle is taken then, get a new key for it: agentrelay invite ${shellWord(handle)}`;
    const doubt = `It is unknown whether ${handle} was registered.`;
    return answers.registered(await heard(registerAgent(...args), url, doubt, next), 'the agent');
  },
};

/** @throws CommandFailed when the relay did not answer, saying what is `doubtful` when it may have done its work */
async function heard<Result>(answer: Promise<Result>, url: string, doubtful: string, next: string): Promise<Result> {
  try {
    return await answer;
  } catch (cause) {
    if (cause instanceof OutcomeUnknown)
      throw new CommandFailed(`${wordsOf(cause)} ${doubtful}`, next, 'unavailable', { cause });
    if (!(cause instanceof Unreachable)) throw cause;
    const check = `curl -sS ${shellWord(`${url}/healthz`)}`;
    throw new CommandFailed(
      `${wordsOf(cause)} Nothing was sent.`,
      `Check the address. See whether a relay answers there: ${check}`,
      'unavailable',
      { cause },
    );
  }
}
