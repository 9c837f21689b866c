/** What only the process does that sends to the exchanges: in a group, its owner. */
export interface OwnerWork {
  /**
   * Runs work: at once in a gateway that is alone on its database, and otherwise when this node
   * becomes the owner, after the work that was given before.
   * @throws what work throws that runs at once
   */
  whenOwner(work: (fence: number | undefined) => unknown): Promise<void>
  /**
   * Runs what was given. Call it once.
   * @param fence the number under which this node is the owner
   * @throws what the work throws
   */
  begin(fence: number): Promise<void>
}

/** @param isOwner whether this process sends to the exchanges from the start */
export function createOwnerWork(isOwner: boolean): OwnerWork {
  const waiting: ((fence: number | undefined) => unknown)[] = []
  let hasBegun = isOwner
  return {
    async whenOwner(work) {
      if (hasBegun) await work(undefined)
      else waiting.push(work)
    },
    async begin(fence) {
      for (const work of waiting) await work(fence)
      hasBegun = true
    },
  }
}
