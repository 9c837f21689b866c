import type { ExchangeCode } from 'schema'
import type { DiskSpace } from '../operations/disk-space.ts'
import type { ApiKeyStore } from '../store/api-key-store.ts'
import type { ApprovalStore } from '../store/approval-store.ts'
import type { ReserveState } from '../store/store-file.ts'
import type { Time, Timer } from '../time.ts'
import type { ExchangeClock } from '../upstream/clock.ts'
import type { AlertBoard } from './alert-board.ts'
import { createApprovalAlerts } from './approval-alerts.ts'
import { createClientAlerts } from './client-alerts.ts'
import { createHeartbeatAlerts } from './heartbeat-alerts.ts'
import { createKeyAlerts } from './key-alerts.ts'
import { createKeyFileAlerts } from './key-file-alerts.ts'
import { createLaneAlerts } from './lane-alerts.ts'
import {
  checkBackup,
  checkClocks,
  checkDisk,
  reportDamage,
  reportReserve,
} from './machine-alerts.ts'
import { createOrderAlerts } from './order-alerts.ts'
import { createSignInAlerts } from './sign-in-alerts.ts'

const CHECK_EVERY_MS = 60_000

export interface AlertsDeps {
  readonly board: AlertBoard
  readonly time: Time
  readonly apiKeys: Pick<ApiKeyStore, 'list'>
  readonly approvals: Pick<ApprovalStore, 'expire' | 'list'>
  readonly clocks: Readonly<Record<ExchangeCode, Pick<ExchangeClock, 'offsetMs'>>>
  readonly diskSpace: () => Promise<DiskSpace | undefined>
  /** When the last backup was made; undefined: none yet. */
  readonly lastBackupMs: () => Promise<number | undefined>
  readonly backupMaxAgeMs: number
  /** Called when a check failed; it runs again a minute later. */
  readonly onError: (error: unknown) => void
  readonly checkEveryMs?: number | undefined
}

/**
 * Raises and clears all alerts: other parts of the gateway report to it, and it runs its own checks
 * once a minute.
 */
export function createAlerts(deps: AlertsDeps) {
  const { board, time, apiKeys, approvals, clocks, diskSpace, onError } = deps
  const nowMs = () => time.now()
  const keys = createKeyAlerts({ board, nowMs })
  const signIns = createSignInAlerts({ board, nowMs })
  const clients = createClientAlerts({ board, nowMs })
  const waiting = createApprovalAlerts(board)
  const startedAtMs = nowMs()
  let timer: Timer | undefined

  async function checkApprovals(): Promise<void> {
    await approvals.expire(nowMs())
    waiting.check(await approvals.list('waiting'))
  }

  async function check(): Promise<void> {
    try {
      signIns.check()
      clients.check()
      checkClocks(board, clocks)
      keys.check(await apiKeys.list())
      await checkApprovals()
      const disk = await diskSpace()
      if (disk !== undefined) checkDisk(board, disk)
      const lastMs = await deps.lastBackupMs()
      const { backupMaxAgeMs: maxAgeMs } = deps
      checkBackup(board, { lastMs, maxAgeMs, startedAtMs, nowMs: nowMs() })
    } catch (error) {
      onError(error)
    }
  }

  return {
    lane: createLaneAlerts(board),
    orders: createOrderAlerts(board),
    heartbeats: createHeartbeatAlerts(board),
    keyFile: createKeyFileAlerts(board),
    keyCalled: keys.called,
    signInAttempted: signIns.attempted,
    limitReached: clients.limitReached,
    storeDamaged: () => reportDamage(board),
    diskFull: (reserve: ReserveState) => reportReserve(board, reserve),
    approvalsChanged: () => void checkApprovals().catch(onError),

    /** Runs the checks now, and then every minute until `stop()`. */
    start(): void {
      void check()
      const { checkEveryMs = CHECK_EVERY_MS } = deps
      timer = time.setInterval(() => void check(), checkEveryMs).unref()
    },
    stop: () => timer?.cancel(),
  }
}
export type Alerts = ReturnType<typeof createAlerts>
