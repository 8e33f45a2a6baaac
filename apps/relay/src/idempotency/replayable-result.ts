/** What a write answers, and whether it only repeats an earlier answer. */
export interface ReplayableResult<Value> {
  value: Value;
  replayed: boolean;
}

/** The member that tells a client that its write had been done before. */
export function replayedMember({ replayed }: { replayed: boolean }): { replayed?: true } {
  return replayed ? { replayed: true } : {};
}
