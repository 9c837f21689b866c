import { ALERT_TYPES, type AlertType } from 'schema'
import type { FactStore } from '../store/fact-store.ts'
import { type AlertBoard, isAlertType, type StoredAlert } from './alert-board.ts'
import type { KeptAlerts, SentAlert } from './webhook.ts'

/** The facts that keep alerts on their way to the receiver. */
const WAITING = 'alert_waiting.'
/** The fact that keeps which alerts are raised. */
const RAISED = 'alerts_raised'

/**
 * The alerts that any process clears, by a check or by what a client does next: the next one does
 * not report them again.
 */
const CONTINUED: ReadonlySet<AlertType> = new Set([
  ...(['pace.violation', 'key.test-failed', 'key.expiring', 'approval.waiting'] as const),
  ...(['owner.changed', 'node.missing', 'disk.low', 'clock.drift'] as const),
  ...(['backup.old', 'backup.missing', 'key.refused', 'client.silent'] as const),
])
/** Only the process that raised these knows their end, or nobody does. */
const NOT_KEPT: ReadonlySet<AlertType> = new Set(['store.unwritable', 'store.damaged'])
const NOT_SEEN =
  'It was raised before the gateway was restarted or another one took over, and was not seen since'
const KEPT = ALERT_TYPES.filter((type) => !NOT_KEPT.has(type))

/** Keeps on the disk what the group has raised, and what the receiver has not taken yet. */
export function keepAlerts({
  facts,
  nodeId,
  onError,
}: {
  readonly facts: Pick<FactStore, 'get' | 'set' | 'list' | 'remove'>
  /** This run of this node. */
  readonly nodeId: () => string
  readonly onError: (error: unknown) => void
}) {
  let saved = ''
  let before: readonly StoredAlert[] = []
  let saving: Promise<void> = Promise.resolve()

  const waiting: KeptAlerts = {
    async keep(sent) {
      try {
        await facts.set(`${WAITING}${sent.id}`, JSON.stringify({ ...sent, nodeId: nodeId() }))
        return true
      } catch {
        // It is logged, and sent from memory. Whether the database works is an alert of its own.
        return false
      }
    },
    forget: (id) => facts.remove(`${WAITING}${id}`).catch(onError),
  }

  return {
    waiting,

    /**
     * What processes that no longer run have left.
     * @param isRunning whether another node sends what it kept
     */
    async left(isRunning: (nodeId: string) => boolean): Promise<SentAlert[]> {
      const found = [...(await facts.list(WAITING)).values()].map((text) => JSON.parse(text))
      return found
        .filter((one) => one.nodeId !== nodeId() && !isRunning(one.nodeId))
        .toSorted((a, b) => String(a.alert.at).localeCompare(b.alert.at))
        .map(({ id, alert }) => ({ id, alert }))
    },

    /** Counts as raised what the last owner has raised, unless this process raises it again. */
    restore(board: Pick<AlertBoard, 'restore'>): Promise<void> {
      const restored = saving.then(async () => {
        saved = (await facts.get(RAISED)) ?? ''
        const stored: StoredAlert[] = saved === '' ? [] : JSON.parse(saved)
        // A newer version may have kept others.
        const known = stored.filter(({ type }) => isAlertType(type))
        board.restore(known.filter(({ type }) => CONTINUED.has(type)))
        before = known.filter(({ type }) => !CONTINUED.has(type))
      })
      // An alert that is raised before that must not overwrite them. The caller gets the error.
      saving = restored.catch(() => undefined)
      return restored
    },

    /** Clears what the last owner raised and this one has not seen. */
    endBefore({ clearUnseen }: Pick<AlertBoard, 'clearUnseen'>): void {
      for (const { type, subject } of before) clearUnseen(type, subject, NOT_SEEN)
      before = []
    },

    /** Keeps what is raised now, unless that is what was kept last. */
    save(board: Pick<AlertBoard, 'stored'>): Promise<void> {
      saving = saving.then(async () => {
        const raised = board.stored(KEPT)
        const isRaised = ({ type, subject }: StoredAlert) =>
          raised.some((one) => one.type === type && one.subject === subject)
        const text = JSON.stringify([...raised, ...before.filter((one) => !isRaised(one))])
        if (text === (saved || '[]')) return
        await facts.set(RAISED, text)
        saved = text
      })
      saving = saving.catch(onError)
      return saving
    },
  }
}
export type Keeping = ReturnType<typeof keepAlerts>
