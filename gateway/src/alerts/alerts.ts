import type { ExchangeCode } from 'schema'
import type { DiskSpace } from '../operations/disk-space.ts'
import type { ApiKeyStore } from '../store/api-key-store.ts'
import type { ApprovalStore } from '../store/approval-store.ts'
import type { FactStore } from '../store/fact-store.ts'
import type { ReserveState } from '../store/stores.ts'
import type { Time, Timer } from '../time.ts'
import type { ExchangeClock } from '../upstream/clock.ts'
import type { AlertBoard } from './alert-board.ts'
import { createApprovalAlerts } from './approval-alerts.ts'
import { createClientAlerts } from './client-alerts.ts'
import { createGroupAlerts, type GroupAlertsDeps } from './group-alerts.ts'
import { createHeartbeatAlerts } from './heartbeat-alerts.ts'
import type { Keeping } from './kept-alerts.ts'
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
import { createPaceAlerts } from './pace-alerts.ts'
import { createSignInAlerts } from './sign-in-alerts.ts'
import type { SentAlert } from './webhook.ts'

const CHECK_EVERY_MS = 60_000
/** How long a new owner has to see again what the last one has raised. */
const SEEN_WITHIN_MS = 5 * 60_000
/** Since when a backup is missing that was never made: a restart must not begin anew. */
const BACKUP_SINCE_NAME = 'backup_expected_since_ms'
/** The fact that names the last owner. */
const OWNER_NAME = 'last_owner_url'

export interface AlertsDeps extends Pick<GroupAlertsDeps, 'nodes' | 'self' | 'readEveryMs'> {
  readonly board: AlertBoard
  readonly time: Time
  readonly facts: Pick<FactStore, 'get' | 'set'>
  readonly keeping: Pick<Keeping, 'restore' | 'endBefore' | 'save' | 'left'>
  /** Sends an alert that a process has left that no longer runs. */
  readonly sendLeft: (left: SentAlert) => void
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
  const { board, time, apiKeys, approvals, clocks, diskSpace, facts, keeping, onError } = deps
  const nowMs = () => time.now()
  const keys = createKeyAlerts({ board, nowMs })
  const signIns = createSignInAlerts({ board, nowMs })
  const clients = createClientAlerts({ board, nowMs })
  const orders = createOrderAlerts(board)
  const heartbeats = createHeartbeatAlerts(board)
  const waiting = createApprovalAlerts(board)
  const pace = createPaceAlerts({ board, nowMs })
  const group = createGroupAlerts(deps)
  let timer: Timer | undefined
  let startedAtMs = Number.POSITIVE_INFINITY

  async function checkApprovals(): Promise<void> {
    await approvals.expire(nowMs())
    waiting.check(await approvals.list('waiting'))
  }

  async function check(): Promise<void> {
    try {
      signIns.check()
      clients.check()
      pace.check()
      group.check()
      checkClocks(board, clocks)
      keys.check(await apiKeys.list())
      await checkApprovals()
      const disk = await diskSpace()
      if (disk !== undefined) checkDisk(board, disk)
      await checkBackups()
      for (const left of await keeping.left(group.isRunning)) deps.sendLeft(left)
      if (nowMs() - startedAtMs >= SEEN_WITHIN_MS) keeping.endBefore(board)
      await keeping.save(board)
    } catch (error) {
      onError(error)
    }
  }

  async function checkBackups(): Promise<void> {
    const lastMs = await deps.lastBackupMs()
    const sinceMs = Number((await facts.get(BACKUP_SINCE_NAME)) ?? nowMs())
    if (lastMs === undefined) await setOnce(BACKUP_SINCE_NAME, `${sinceMs}`)
    checkBackup(board, { lastMs, sinceMs, maxAgeMs: deps.backupMaxAgeMs, nowMs: nowMs() })
  }

  async function setOnce(name: string, value: string): Promise<void> {
    if ((await facts.get(name)) === undefined) await facts.set(name, value)
  }

  /** @param fence undefined for a gateway that is alone on its database */
  async function beginAsOwner(fence: number | undefined): Promise<void> {
    await keeping.restore(board)
    startedAtMs = nowMs()
    group.becomeOwner()
    const { nodeUrl } = deps.self()
    if (fence === undefined || nodeUrl === '') return
    const last = (await facts.get(OWNER_NAME)) ?? nodeUrl
    if (last !== nodeUrl) group.ownerChanged(last, fence)
    await facts.set(OWNER_NAME, nodeUrl)
  }

  return {
    lane: createLaneAlerts(board),
    orders,
    heartbeats,
    keyFile: createKeyFileAlerts(board),
    keyCalled: keys.called,
    signInAttempted: signIns.attempted,
    limitReached: clients.limitReached,
    /** The alerts about its keys end with the next check of the keys. */
    clientDeleted({ clientId }: { readonly clientId: string }): void {
      orders.clientDeleted(clientId)
      clients.deleted(clientId)
      heartbeats.deleted(clientId)
    },
    paceViolated: pace.violated,
    group,
    storeDamaged: () => reportDamage(board),
    diskFull: (reserve: ReserveState) => reportReserve(board, reserve),
    approvalsChanged: () => void checkApprovals().catch(onError),

    /**
     * Continues what the last owner has raised. Runs the checks now, and then every minute until
     * `stop()`.
     */
    start(fence: number | undefined): void {
      void beginAsOwner(fence).catch(onError).then(check)
      const { checkEveryMs = CHECK_EVERY_MS } = deps
      timer = time.setInterval(() => void check(), checkEveryMs).unref()
    },
    stop(): void {
      timer?.cancel()
      group.stop()
    },
  }
}
export type Alerts = ReturnType<typeof createAlerts>
