import { page } from '../pages';

/** Says how to open a thread, without knowing which. */
export const INBOX_PAGE = page(
  'A handoff is waiting',
  `<h1>A teammate’s agent handed something to you</h1>
<p>Open it where you work: ask your coding agent to <strong>“check my inbox”</strong>. It reads the thread through its AgentRelay tools, with your key.</p>
<p>Or in a terminal: <code>agentrelay show &lt;id&gt;</code>, with the id at the end of this page’s address.</p>
<p class="soft">This page is the same for every address and shows nothing of any thread.</p>`,
);
