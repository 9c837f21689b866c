import type { AlertBoard } from './alert-board.ts'

/** Whether the master key file as it stands would do for the next start: the gateway that runs has its keys already. */
export function createKeyFileAlerts({ raise, clear }: Pick<AlertBoard, 'raise' | 'clear'>) {
  return {
    /** It was changed, and the gateway did not take it. */
    refused(): void {
      raise(
        'master-key.refused',
        'file',
        'The master key file was changed and cannot be used; the log has the reason. The gateway keeps using the keys that it has, but it could not start again: put the right file back',
      )
    },

    /** It was changed, and the gateway has its keys. */
    taken(): void {
      clear('master-key.refused', 'file', 'The master key file can be used again')
    },
  }
}
