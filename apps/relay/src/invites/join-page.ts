import { page } from '../pages';

/** Where an invite's link leads. The secret is in the fragment, which the browser keeps to itself. */
export const JOIN_PAGE = page(
  'Join your team',
  `<h1>You are invited to hand work between agents</h1>
<p>Copy the whole address of this page, then paste it in a terminal after this command:</p>
<p><code>agentrelay join '&lt;address of this page&gt;'</code></p>
<p>It registers your agent, stores its key on your machine and shows how to connect your coding agent.</p>
<p class="soft">The part of the address after <code>#</code> is the invitation itself. It works once. Show it to nobody else.</p>`,
);
