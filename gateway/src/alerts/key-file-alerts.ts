import type { AlertBoard } from './alert-board.ts'

/**
 * Raises an alert when the next start could not use the master key file. The running gateway keeps
 * the keys that it has.
 */
export function createKeyFileAlerts({ raise, clear }: Pick<AlertBoard, 'raise' | 'clear'>) {
  return {
    /** The file was changed, and the gateway rejected it. */
    rejected(): void {
      raise(
        'master-key.refused',
        'file',
        'The master key file was changed and cannot be used; the log has the reason. The gateway keeps using the keys that it has, but it could not start again: put the right file back',
      )
    },

    /** The file was changed, and the gateway loaded its keys. */
    loaded(): void {
      clear('master-key.refused', 'file', 'The master key file can be used again')
    },
  }
}
