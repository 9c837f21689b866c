import type { FastifyBaseLogger } from 'fastify'
import type { ExchangeCode } from 'schema'
import type { DiskSpace } from '../operations/disk-space.ts'
import type { ReserveState, Stores } from '../store/stores.ts'
import type { Time, Timer } from '../time.ts'
import type { ExchangeClock } from '../upstream/clock.ts'
import type { Events } from '../upstream/events.ts'
import { type AlertBoard, createAlertBoard } from './alert-board.ts'
import {
  createApprovalAlerts,
  createClientAlerts,
  createHeartbeatAlerts,
  createSignInAlerts,
} from './caller-alerts.ts'
import { createGroupAlerts, type GroupAlertsOptions } from './group-alerts.ts'
import { type Keeping, keepAlerts } from './kept-alerts.ts'
import { createKeyAlerts } from './key-alerts.ts'
import { createPaceAlerts, reportLane } from './lane-alerts.ts'
import {
  checkBackup,
  checkClocks,
  checkDisk,
  createKeyFileAlerts,
  reportDamage,
  reportReserve,
} from './machine-alerts.ts'
import { createOrderAlerts } from './order-alerts.ts'
import { StreamAlerts } from './stream-alerts.ts'
import { Webhook, type WebhookOptions } from './webhook.ts'

const CHECK_EVERY_MS = 60_000
/** How long a new owner has to see again what the last one has raised. */
const SEEN_WITHIN_MS = 5 * 60_000
/** Since when a backup is missing that was never made: a restart must not begin anew. */
const BACKUP_SINCE_NAME = 'backup_expected_since_ms'
/** The fact that names the last owner. */
const OWNER_NAME = 'last_owner_url'

interface AlertingOptions extends Pick<GroupAlertsOptions, 'self' | 'readEveryMs'> {
  readonly stores: Pick<Stores, 'apiKeys' | 'approvals' | 'audit' | 'clients' | 'facts' | 'nodes'>
  readonly time: Time
  readonly log: Pick<FastifyBaseLogger, 'warn' | 'error'>
  /** Where alerts are posted to; undefined: they are only logged. */
  readonly webhook: Pick<WebhookOptions, 'url' | 'secret'> | undefined
  readonly pausesMs: readonly number[] | undefined
  /** Whether an alert reached the receiver. */
  readonly onSent: (end: 'delivered' | 'lost') => void
  /** How often the receiver gets the last entry of the audit trail; 0: never. */
  readonly auditHeadEveryMs: number
  readonly clocks: Readonly<Record<ExchangeCode, Pick<ExchangeClock, 'offsetMs'>>>
  readonly diskSpace: () => Promise<DiskSpace | undefined>
  /** When the last backup was made; undefined: none yet. */
  readonly lastBackupMs: () => Promise<number | undefined>
  readonly backupMaxAgeMs: number
  readonly checkEveryMs?: number | undefined
}

/**
 * Creates the alerts and connects them to the log and, if there is one, to the webhook: other parts
 * of the gateway report to them, and they run their own checks once a minute.
 */
export function createAlerting(options: AlertingOptions) {
  const { stores, time, self, log, checkEveryMs = CHECK_EVERY_MS } = options
  const keeping = keepAlerts({
    facts: stores.facts,
    nodeId: () => self().nodeId,
    onError: (err) => log.error({ err }, 'which alerts are raised could not be stored'),
  })
  const webhook = openWebhook(options, keeping)
  let isStarted = false
  const board = createAlertBoard({
    nowMs: () => time.now(),
    onChange: (alert) => {
      log.warn({ alert }, `alert ${alert.state}: ${alert.type}`)
      webhook?.send(alert)
      if (isStarted) void keeping.save(board)
    },
  })
  const onError = (err: unknown) => log.error({ err }, 'checking for alerts failed')
  const subjects = createSubjects(options, board, onError)
  const checks = createChecks(options, { board, keeping, webhook, subjects })
  const timers: Timer[] = []
  return {
    board,
    group: subjects.group,
    keyFile: subjects.keyFile,
    signInAttempted: subjects.signIns.attempted,
    storeDamaged: () => reportDamage(board),
    diskFull: (reserve: ReserveState) => reportReserve(board, reserve),
    approvalsChanged: () => void checks.approvals().catch(onError),
    /** Subscribes the alerts to the events of lanes, calls and orders. */
    observe: (events: Pick<Events, 'on'>) => observe(events, board, subjects),

    /**
     * Continues what the last owner has raised. Runs the checks now, and then every minute until
     * `close()`.
     * @param fence undefined for a gateway that is alone on its database
     */
    start(fence: number | undefined): void {
      isStarted = true
      const check = () => checks.all().catch(onError)
      void checks.beginAsOwner(fence).catch(onError).then(check)
      timers.push(time.setInterval(() => void check(), checkEveryMs).unref())
      if (webhook !== undefined) timers.push(...sendAuditHeads(options, webhook))
    },
    /** Stops the checks, and gives the webhook this long for what is still queued. */
    async close(withinMs: number): Promise<void> {
      for (const timer of timers) timer.cancel()
      subjects.group.stop()
      await webhook?.close(withinMs)
    },
  }
}
export type Alerting = ReturnType<typeof createAlerting>

function openWebhook(
  { webhook: target, time, pausesMs, log, onSent }: AlertingOptions,
  { waiting: kept }: Keeping,
): Webhook | undefined {
  if (target === undefined) return undefined
  return new Webhook({
    ...target,
    ...{ time, pausesMs, kept },
    onDelivered: () => onSent('delivered'),
    onLost: (alert, why) => {
      onSent('lost')
      log.error({ alert, why }, 'an alert could not be delivered')
    },
  })
}

/** What raises and clears the alerts of each subject. */
function createSubjects(
  { stores, time, self, readEveryMs }: AlertingOptions,
  board: AlertBoard,
  onError: (error: unknown) => void,
) {
  return {
    keys: createKeyAlerts(board),
    signIns: createSignInAlerts(board),
    clients: createClientAlerts(board),
    orders: createOrderAlerts(board),
    heartbeats: createHeartbeatAlerts(board),
    approvals: createApprovalAlerts(board),
    pace: createPaceAlerts(board),
    keyFile: createKeyFileAlerts(board),
    streams: new StreamAlerts({ board, clients: stores.clients, onError }),
    group: createGroupAlerts({ board, nodes: stores.nodes, self, time, readEveryMs, onError }),
  }
}
type Subjects = ReturnType<typeof createSubjects>

function observe(
  events: Pick<Events, 'on'>,
  board: AlertBoard,
  { keys, clients, orders, heartbeats, pace, streams }: Subjects,
): void {
  events.on('lane', ({ exchange, event }) => reportLane(board, exchange, event))
  events.on('call', keys.called)
  events.on('limitReached', clients.limitReached)
  events.on('paceViolated', pace.violated)
  events.on('clientSilent', heartbeats.silent)
  events.on('clientHeard', heartbeats.heard)
  events.on('orderUnknown', orders.unknown)
  events.on('ordersRecovered', orders.recovered)
  events.on('orderNotLookedUp', orders.notLookedUp)
  events.on('orderResolved', orders.resolved)
  events.on('streamDialled', (feed) => streams.begun(feed))
  events.on('streamFailed', ({ step, error, ...feed }) => streams.begun(feed))
  events.on('streamState', (change) => streams.stateChanged(change))
  events.on('streamLoginRefused', (refusal) => streams.refused(refusal))
  events.on('streamClosed', (feed) => streams.closed(feed))
  // The alerts about its keys end with the next check of the keys.
  events.on('clientDeleted', ({ clientId }) => {
    orders.clientDeleted(clientId)
    clients.deleted(clientId)
    heartbeats.deleted(clientId)
  })
}

interface Checked {
  readonly board: AlertBoard
  readonly keeping: Keeping
  readonly webhook: Webhook | undefined
  readonly subjects: Subjects
}

/** What runs at the start of an owner, and then once a minute. */
function createChecks(options: AlertingOptions, { board, keeping, webhook, subjects }: Checked) {
  const { stores, time, self, clocks } = options
  const { facts, apiKeys, approvals } = stores
  const { group } = subjects
  let startedAtMs = Number.POSITIVE_INFINITY

  async function checkApprovals(): Promise<void> {
    await approvals.expire(time.now())
    subjects.approvals.check(await approvals.list('waiting'))
  }

  async function checkBackups(): Promise<void> {
    const lastMs = await options.lastBackupMs()
    const nowMs = time.now()
    const stored = await facts.get(BACKUP_SINCE_NAME)
    const sinceMs = Number(stored ?? nowMs)
    if (lastMs === undefined && stored === undefined)
      await facts.set(BACKUP_SINCE_NAME, `${sinceMs}`)
    checkBackup(board, { lastMs, sinceMs, maxAgeMs: options.backupMaxAgeMs, nowMs })
  }

  return {
    approvals: checkApprovals,

    /** The checks after one that failed run a minute later. */
    async all(): Promise<void> {
      for (const each of [subjects.signIns, subjects.clients, subjects.pace, group]) each.check()
      checkClocks(board, clocks)
      subjects.keys.check(await apiKeys.list())
      await checkApprovals()
      await subjects.streams.check()
      const disk = await options.diskSpace()
      if (disk !== undefined) checkDisk(board, disk)
      await checkBackups()
      // What processes that no longer run have left.
      for (const left of await keeping.left(group.isRunning)) webhook?.sendKept(left)
      if (time.now() - startedAtMs >= SEEN_WITHIN_MS) keeping.endBefore(board)
      await keeping.save(board)
    },

    async beginAsOwner(fence: number | undefined): Promise<void> {
      await keeping.restore(board)
      startedAtMs = time.now()
      group.becomeOwner()
      const { nodeUrl } = self()
      if (fence === undefined || nodeUrl === '') return
      const last = (await facts.get(OWNER_NAME)) ?? nodeUrl
      if (last !== nodeUrl) group.ownerChanged(last, fence)
      await facts.set(OWNER_NAME, nodeUrl)
    },
  }
}

/**
 * Sends the last entry of the audit trail to the receiver of alerts, now and then regularly. The
 * copy there shows when the end of the trail is cut off later.
 * @returns the timer, unless it is switched off
 */
function sendAuditHeads(
  { stores, auditHeadEveryMs, time, log }: AlertingOptions,
  webhook: Webhook,
): readonly Timer[] {
  if (auditHeadEveryMs === 0) return []
  async function report(): Promise<void> {
    try {
      const last = await stores.audit.head()
      if (last === undefined) return
      webhook.send({
        type: 'audit.head',
        at: new Date(time.now()).toISOString(),
        subject: 'audit trail',
        state: 'raised',
        message: `Nothing is wrong. The last entry of the audit trail is ${last.id}:${last.hash}`,
        detail: { ...last },
      })
    } catch (err) {
      log.error({ err }, 'reading the audit trail failed')
    }
  }
  void report()
  return [time.setInterval(() => void report(), auditHeadEveryMs).unref()]
}
