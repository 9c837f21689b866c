import type { AlertType } from 'schema'

/** What is found without an alert. */
export type FoundType =
  | 'limit.reached'
  | 'limit.near'
  | 'key.withdraws'
  | 'key.unreadable'
  | 'key.expired'
  | 'key.untested'

/**
 * What is wrong, in at most 80 characters, and without what it is about: that has a column of its
 * own. The order is that of urgency: what hurts now, what hurts next, what may hurt.
 * @param at the exchange, where there is one
 * @param more what differs from one to the next
 */
export const sentences: Readonly<
  Record<AlertType | FoundType, (at: string, more: string) => string>
> = {
  'store.damaged': () => 'Damaged: nothing is written, no order is sent',
  'store.unwritable': () => 'Cannot be written: no order is sent',
  'disk.full': () => 'Full: new orders are refused',
  'exchange.broken': () => 'Broken: requests are refused until a call succeeds',
  'exchange.stopped': () => 'Stopped: requests are refused until an administrator resumes it',
  'exchange.stuck': () => 'Nothing is sent, although requests wait: restart the gateway',
  'pace.violation': () => 'More calls were sent within a second than the rate allows',
  'order.unknown': () => 'Order unknown',
  'cancel.unknown': () => 'Cancel unknown',
  'exchange.account-broken': (at) => `Its calls fail at ${at}: they are refused until one succeeds`,
  'stream.refused': (at) => `${at} refuses the login of its account stream`,
  'stream.down': (at) => `Its account stream at ${at} is down: events are late`,
  'stream.gap': (at) => `A gap of its account stream at ${at} is not closed`,
  'client.silent': () => 'No heartbeat: stopped, its orders are being cancelled',
  'limit.reached': (_, use) => `Limit reached: ${use}`,
  'key.withdraws': (at) => `${at} key can withdraw funds: replace it`,
  'key.unreadable': (at) => `${at} key is encrypted with another master key: save it again`,
  'key.refused': (at) => `${at} rejects the key`,
  'key.test-failed': (at) => `${at} key failed its last test`,
  'key.expired': (at) => `${at} key has expired`,
  'sign-in.attack': () => 'Are being guessed, or a program uses an outdated one',
  'master-key.refused': () => 'Changed, and cannot be used: the gateway could not start again',
  'client.refused': () => 'Refused by its limits again and again',
  'exchange.throttled': () => 'Slowed down: it rejected a call because of its rate limit',
  'limit.near': (_, use) => `Near a limit: ${use}`,
  'key.expiring': (at, when) => (when === '' ? `${at} key expires soon` : `${at} key: ${when}`),
  'approval.waiting': () => 'Waits for another administrator',
  'node.missing': () => 'Missing: it did not end in order',
  'disk.low': () => 'Nearly full',
  'clock.drift': () => 'Its clock and this machine’s differ by more than a second',
  'owner.changed': () => 'Another gateway sends to the exchanges now',
  'backup.old': () => 'The last backup is too old',
  'backup.missing': () => 'No backup is known',
  'key.untested': (at) => `${at} key was never tested`,
}

export const whys = {
  'key.withdraws': 'It can withdraw funds: replace it by a key that cannot',
  'key.unreadable': 'Encrypted with another master key: save it again',
  'key.untested': 'It was never tested: the first request of its bot will show whether it works',
  failed: (message: string | null) =>
    message === null ? 'Its last test failed' : `Test failed: ${message}`,
  'order.unknown':
    'The gateway looks up those that it can, and sends nothing twice. The others a person has to end.',
  'cancel.unknown':
    'The gateway cancels again what is still open, until the exchange says that it is not.',
} as const

/** Subjects that are no client and no exchange, by the names that alerts have for them. */
export const subjects: Readonly<Record<string, string>> = {
  database: 'Database',
  disk: 'Disk',
  file: 'Master key file',
  exchanges: 'Gateways',
  admin: 'Console passwords',
  client: 'Client secrets',
}
export const approval = (id: string) => `Change ${id}`
export const allClients = 'All clients'

export const links = {
  operations: 'Open Operations',
  outcomes: 'Show the orders',
  cancels: 'Show the cancels',
  key: 'Open the key',
  keys: 'Open the keys',
  client: 'Open the client',
  clients: 'Open the clients',
  approvals: 'Open the approvals',
  streams: 'Show the streams',
} as const
