import { resultBudget } from './result-budget';

const LONG = { characters: 40_000, bytes: 118_784 };
const SHORT = { characters: 9_000, bytes: 9_000 };

describe('the length of one result', () => {
  it.each([
    ['an unknown client', '', LONG],
    ['Claude Code', 'claude-code', LONG],
    ['Gemini CLI', 'gemini-cli-mcp-client', LONG],
    ['Codex, which cuts longer ones', 'codex-mcp-client', SHORT],
    ['Copilot CLI, which puts longer ones into a file', 'copilot-cli', SHORT],
  ])('fits %s', (_, client, budget) => expect(resultBudget({}, client)).toEqual(budget));

  it.each([
    ['20000', 20_000],
    [' 20000 ', 20_000],
    ['1', 4_000],
    ['1000000', 100_000],
    ['many', 40_000],
  ])('is what AGENTRELAY_RESULT_CHARS=%s says, whatever the client', (AGENTRELAY_RESULT_CHARS, characters) =>
    expect(resultBudget({ AGENTRELAY_RESULT_CHARS }, 'codex-mcp-client')).toEqual({ ...LONG, characters }),
  );
});
