interface Payload {
  readonly uid?: string
  readonly grantId?: string
  consumed?: number
}

const kept = new Map<string, Payload>()

/** What the provider remembers, in memory; its own adapter warns of itself at each start. */
export function createAdapter(kind: string) {
  const ofKind = () => [...kept].filter(([key]) => key.startsWith(`${kind}:`))
  return {
    async upsert(id: string, payload: Payload) {
      kept.set(`${kind}:${id}`, payload)
    },
    async find(id: string) {
      return kept.get(`${kind}:${id}`)
    },
    async findByUid(uid: string) {
      return ofKind().find(([, payload]) => payload.uid === uid)?.[1]
    },
    async consume(id: string) {
      const payload = kept.get(`${kind}:${id}`)
      if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1000)
    },
    async destroy(id: string) {
      kept.delete(`${kind}:${id}`)
    },
    async revokeByGrantId(grantId: string) {
      for (const [key, payload] of kept) if (payload.grantId === grantId) kept.delete(key)
    },
  }
}
