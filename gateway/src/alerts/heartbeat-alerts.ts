import type { AlertBoard } from './alert-board.ts'

/** Clients that promised heartbeats and are silent. */
export function createHeartbeatAlerts({ raise, clear }: Pick<AlertBoard, 'raise' | 'clear'>) {
  return {
    silent({ clientId, ttlSeconds }: { clientId: string; ttlSeconds: number }): void {
      raise(
        'client.silent',
        clientId,
        `"${clientId}" sent no heartbeat for ${ttlSeconds} s: it is stopped, and its working orders are being cancelled. Find out why it is silent, then resume it`,
        { clientId, ttlSeconds },
      )
    },

    heard: ({ clientId }: { clientId: string }): void =>
      clear('client.silent', clientId, `"${clientId}" sends heartbeats again`, { clientId }),

    deleted: (clientId: string): void =>
      clear('client.silent', clientId, `"${clientId}" was deleted`, { clientId }),
  }
}
