import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FENCE = /^```(\w+) file=(\S+)\n[\s\S]*?^```$/gm;

/** A page whose code blocks that name a file show that file as it is. */
export function embedSources(page: string, root: string): string {
  return page.replace(FENCE, (_block, language: string, file: string) => {
    const source = readFileSync(join(root, file), 'utf8');
    return `\`\`\`${language} file=${file}\n${source}\`\`\``;
  });
}
