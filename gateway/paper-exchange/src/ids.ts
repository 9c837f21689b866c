/** Numbers that only grow, as decimal digits; above 2^53, as both exchanges make them. */
export function createIds(first: bigint): () => string {
  let next = first
  return () => {
    const id = next
    // The step is no round number, so that no one comes to rely on ids that follow each other.
    next += 137n
    return id.toString()
  }
}
