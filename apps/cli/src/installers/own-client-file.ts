import type { Added, Addition, ClientFile } from './client';
import { UnreadableClientFile } from './client-file-error';

/** A file that is ours alone, in a folder of a client. */
export class OwnClientFile implements ClientFile {
  constructor(
    readonly path: string,
    private readonly content: string,
  ) {}

  isSatisfied(text: string): boolean {
    return text === this.content;
  }

  holdsRetired(): boolean {
    return false;
  }

  add(text: string): Addition {
    if (text.trim() !== '') {
      throw new UnreadableClientFile(
        this.path,
        'is a file that install writes and somebody changed; move it away first.',
      );
    }
    const missing = { offset: text.length, text: this.content };
    return { text: text + this.content, insertions: [missing], added: [[]], replaced: false };
  }

  remove(text: string): string {
    return this.isSatisfied(text) ? '' : text;
  }

  presumed(text: string): Added {
    return this.isSatisfied(text) ? [[]] : [];
  }
}
