import { watchStore } from '../alerts/store-alerts.ts'
import type { Config } from '../config.ts'
import type { Parts } from './create-parts.ts'

/**
 * Watches the database and the other nodes, also where this node is not the owner.
 * @returns a function that stops it
 */
export function watchGroup(parts: Parts, { node }: Config): () => void {
  const { stores, group, owner, time, watching } = parts
  const { board, group: nodes } = watching.alerts
  nodes.start()
  return watchStore({
    ...{ board, log: stores.log, owner, time, url: node?.url ?? '' },
    otherUrls: nodes.otherUrls,
    canWrite: async (url) => group?.canWrite(url),
  })
}
