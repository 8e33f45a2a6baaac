import { randomBytes } from 'node:crypto';

/** A fresh boundary of 96 random bits: whoever wrote the content could not have known it. */
export function newBoundary(): string {
  return randomBytes(12).toString('hex');
}

/** `content` without the boundary, whatever its case, so that nothing inside can look like the end. */
export function withoutBoundary(content: string, boundary: string): string {
  const pattern = new RegExp(boundary, 'gi');
  let rest = content;
  // Removing once could join two halves into the boundary again.
  while (rest.search(pattern) >= 0) rest = rest.replace(pattern, '⟦boundary removed⟧');
  return rest;
}
