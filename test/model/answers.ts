import { ERRORS, isErrorSymbol, type WireRpcAnswer } from '@agentrelay/protocol';
import type { Answer as HttpAnswer } from '@agentrelay/testing';
import type { Answer } from './explain';

/** What an HTTP answer says to a history: a result, or the symbol of a refusal. */
export function rpcAnswer({ body, status }: HttpAnswer): Answer {
  const answer = body as WireRpcAnswer;
  if ('result' in answer) return { result: answer.result };
  const { code: symbol } = answer.error.data;
  if (!isErrorSymbol(symbol) || ERRORS[symbol].rpc !== answer.error.code) return { refused: `odd ${symbol}`, status };
  return { refused: symbol, status };
}

export function restAnswer(body: Record<string, unknown>, status: number): Answer {
  return status === 200 ? { result: body } : { refused: String(body['code']), status };
}
