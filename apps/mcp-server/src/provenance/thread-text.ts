import { messageSections } from '@agentrelay/presentation';
import type { WireThread } from '@agentrelay/protocol';
import type { ToolText } from './tool-text';

/** A whole thread as text: each contribution in a block of its own, the reader's own ones told apart. */
export function sayThread(text: ToolText, thread: WireThread, self: string): ToolText {
  for (const message of thread.messages) {
    const sections = messageSections(message, thread);
    if (message.from === self) text.own(sections);
    else text.untrusted(message.from, sections);
  }
  return text;
}
