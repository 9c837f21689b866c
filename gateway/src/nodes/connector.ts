import { buildConnector } from 'undici'
import type { NodeKey, NodeKeys } from '../vault/derived-keys.ts'
import { clientTls } from './tls.ts'

const CONNECT_MS = 3_000
/**
 * A node that vanished without a word is noticed 10 s after this: libuv sends ten probes, one each
 * second.
 */
const PROBE_AFTER_MS = 5_000

/**
 * Connects to another node with the newest key that both have. A node that refuses a key does so
 * before the first byte of a request.
 */
export function createNodeConnector(keys: NodeKeys): buildConnector.connector {
  return (target, callback) => {
    const connect = ([key, ...older]: readonly NodeKey[]) => {
      if (key === undefined) return callback(new Error('No master key is loaded'), null)
      const connectTo = buildConnector({
        ...clientTls(key),
        allowH2: false,
        maxCachedSessions: 0,
        timeout: CONNECT_MS,
        keepAliveInitialDelay: PROBE_AFTER_MS,
      })
      connectTo(target, (...result) => {
        const [error] = result
        if (error !== null && isKeyRefused(error) && older.length > 0) return connect(older)
        callback(...result)
      })
    }
    connect(keys.offered())
  }
}

/** Alerts of TLS, in Node's codes of OpenSSL's errors. */
function isKeyRefused(error: Error): boolean {
  return 'code' in error && String(error.code).startsWith('ERR_SSL')
}
