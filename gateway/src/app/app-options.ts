import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import type { Config } from '../config.ts'
import type { OwnershipTimes, OwnerView } from '../nodes/ownership.ts'
import type { PassRequestsDeps } from '../nodes/pass-requests.ts'
import type { PassingTimes } from '../nodes/passing.ts'
import type { DiskSpace } from '../operations/disk-space.ts'
import type { HeartbeatsDeps } from '../orders/heartbeats.ts'
import type { ReconcilerDeps } from '../orders/reconcile.ts'
import type { Stores } from '../store/stores.ts'
import type { RunRegularlyOptions, Time } from '../time.ts'
import type { UpstreamsDeps } from '../upstream/create-upstreams.ts'
import type { Vault } from '../vault/create-vault.ts'
import type { PasswordCost } from '../vault/password.ts'

export interface AppOptions {
  readonly logger?: FastifyServerOptions['logger']
  /**
   * Aborted some time before the gateway closes: from then on it is not ready, and each response
   * ends its connection, so that callers open the next one elsewhere.
   */
  readonly draining?: AbortSignal
  /** Which node of a group is the owner, for tests; absent: this one is. */
  readonly ownerView?: OwnerView
  /** Shorter times of the election of the owner, for tests. */
  readonly ownershipTimes?: Partial<OwnershipTimes>
  /** Shorter pauses between two announcements of this node, for tests. */
  readonly announceEveryMs?: number
  /** Ends the process at once because the database was replaced; absent: with the exit code. */
  readonly endProcess?: (exitCode: number) => void
  /**
   * Closes the gateway and ends the process, because another node is the owner of the exchanges
   * now; absent: as `endProcess` does.
   */
  readonly leave?: (exitCode: number) => void
  /** Shorter times for requests that are passed to another node, for tests. */
  readonly passingTimes?: Partial<PassingTimes> & Pick<PassRequestsDeps, 'parkedMs'>
  /** The time of everything that this gateway does, for tests; absent: that of this machine. */
  readonly time?: Time
  /** A lower cost of hashed passwords, for tests. */
  readonly passwordCost?: PasswordCost
  /** The time between two looks at the key file, for tests. */
  readonly keyLookEveryMs?: number
  /** The pause before a lane's first call; tests that start no second process set 0. */
  readonly laneStartDelayMs?: number
  /** Another gate for the lanes, for tests. */
  readonly lanePace?: UpstreamsDeps['lanePace']
  /** How long writes wait for another process that holds the database; 5 s by default. */
  readonly storePatienceMs?: number
  /** Shorter pauses between look-ups of orders with an unknown outcome, for tests. */
  readonly reconcile?: Pick<ReconcilerDeps, 'callerPausesMs' | 'backgroundPausesMs'>
  /** Shorter pauses between the rounds of a stop, for tests. */
  readonly stops?: {
    readonly cancelPausesMs?: readonly number[]
    readonly checkPausesMs?: readonly number[]
    readonly answerAfterMs?: number
  }
  /** A shorter pause between checks of heartbeats, for tests. */
  readonly heartbeats?: Pick<HeartbeatsDeps, 'checkEveryMs'>
  /** Shorter pauses between looks at the queues for their history, for tests. */
  readonly sampleEveryMs?: number
  /** Other pauses between removals of old rows, for tests and measurements. */
  readonly housekeeping?: Pick<RunRegularlyOptions, 'firstAfterMs' | 'everyMs'>
  /** Shorter pauses between readings of when keys expire, for tests. */
  readonly keyExpiry?: Pick<RunRegularlyOptions, 'firstAfterMs' | 'everyMs'>
  /** Other pauses between checks of all pages of the database, for tests. */
  readonly pageCheck?: Pick<RunRegularlyOptions, 'firstAfterMs' | 'everyMs'>
  /** How long saving keys waits for the exchange, for tests; 0: it is not asked. */
  readonly newKeyWaitMs?: number
  /** Shorter pauses between checks and between attempts, and another disk, for tests. */
  readonly alerts?: {
    readonly checkEveryMs?: number
    /** Between two reads of the nodes. */
    readonly readEveryMs?: number
    readonly pausesMs?: readonly number[]
    readonly diskSpace?: () => Promise<DiskSpace | undefined>
  }
}

/** What is created first; everything else is made with it. */
export interface Core {
  readonly app: FastifyInstance
  readonly config: Config
  readonly options: AppOptions
  readonly stores: Stores
  readonly vault: Vault
  readonly time: Time
}
