const STYLE = `
  :root { color-scheme: light dark; --ink: #1c2024; --soft: #60646c; --line: #d9d9e0; --page: #fcfcfd; --card: #fff; --code: #f0f0f3; --mark: #3e63dd; }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #edeef0; --soft: #b0b4ba; --line: #363a3f; --page: #111113; --card: #18191b; --code: #272a2d; --mark: #9eb1ff; }
  }
  body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--page); color: var(--ink); font: 16px/1.6 system-ui, sans-serif; }
  main { max-width: 32rem; margin: 1.5rem; padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
  .brand { margin: 0; color: var(--mark); font-weight: 600; letter-spacing: 0.02em; }
  h1 { margin: 0.25rem 0 0.75rem; font-size: 1.5rem; line-height: 1.25; }
  p { margin: 0.75rem 0; } .soft { color: var(--soft); font-size: 0.9rem; }
  code { padding: 0.15em 0.4em; background: var(--code); border-radius: 5px; font: 0.9em ui-monospace, monospace; }
`;

/** A constant page of ours around `content`, which is HTML that we wrote. */
export function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · AgentRelay</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<p class="brand">AgentRelay</p>
${content}
</main>
</body>
</html>
`;
}
