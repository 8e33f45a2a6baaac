import { randomBytes } from 'node:crypto';

/** A fresh boundary of 96 random bits: whoever wrote the content could not have known it. */
export function newBoundary(): string {
  return randomBytes(12).toString('hex');
}

/** `content` without the boundary, whatever its case, so that nothing inside can look like the end. */
export function withoutBoundary(content: string, boundary: string): string {
  let rest = content;
  // Removing once could join two halves into the boundary again.
  for (let at = find(rest, boundary); at >= 0; at = find(rest, boundary)) {
    rest = `${rest.slice(0, at)}⟦boundary removed⟧${rest.slice(at + boundary.length)}`;
  }
  return rest;
}

function find(content: string, boundary: string): number {
  // Boundaries are ASCII: lower-casing by ASCII keeps every index in place.
  return content.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).indexOf(boundary);
}
