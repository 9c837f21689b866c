/** What only the process does that sends to the exchanges: in a group, its owner. */
export interface OwnerWork {
  /**
   * Runs work: at once in a gateway that is alone on its database, and otherwise when this node
   * becomes the owner, after the work that was given before.
   * @throws what work throws that runs at once
   */
  whenOwner(work: () => unknown): Promise<void>
  /** Runs what was given. Call it once. @throws what the work throws */
  begin(): Promise<void>
}

/** @param isOwner whether this process sends to the exchanges from the start */
export function createOwnerWork(isOwner: boolean): OwnerWork {
  const waiting: (() => unknown)[] = []
  let hasBegun = isOwner
  return {
    async whenOwner(work) {
      if (hasBegun) await work()
      else waiting.push(work)
    },
    async begin() {
      for (const work of waiting) await work()
      hasBegun = true
    },
  }
}
