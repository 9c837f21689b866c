import type { Ending } from 'schema'
import { formatCount } from '../components/format.ts'

const counted = (count: number, one: string, several = `${one}s`) =>
  `${formatCount(count)} ${count === 1 ? one : several}`

export const startedBy = (by: string | null, time: string) =>
  by === null ? `Since ${time}` : `By ${by}, since ${time}`
export const byGateway = 'the gateway'
export const begins = 'Drops what waits...'
export const underWay = (done: number, total: number, left: string | null, failed: number) =>
  `${formatCount(done)} of ${formatCount(total)} cancelled${left === null ? '' : `, about ${left} left`}, ${formatCount(failed)} failed`
export const complete = (time: string, cancelled: number, dropped: number) =>
  `Complete since ${time}: ${counted(cancelled, 'order')} cancelled, ${counted(dropped, 'request')} dropped`
export const inFlight = (count: number) => `In flight when stopped: ${formatCount(count)}`
export const tried = (count: string, ago: string) => `cancel tried ${count}, last ${ago} ago`
export const times = (count: number) => (count === 1 ? 'once' : counted(count, 'time'))
export const failed = {
  title: (count: number) => `${counted(count, 'order')} may still be open`,
  order: (id: string) => `order ${id}`,
} as const
/** What an end would do now. */
export const preview = {
  failed: 'The preview could not be loaded. You can still confirm.',
  drops: (waiting: number) => `Drops ${counted(waiting, 'waiting request')}`,
  refuses: (waiting: number) =>
    `Refuses ${counted(waiting, 'waiting order')} when their turn comes`,
  checks: (waiting: number) => `Checks ${counted(waiting, 'waiting order')} when their turn comes`,
  cancels: (orders: number) => `cancels ${counted(orders, 'order')}`,
  noOrders: 'no open order is known',
  within: (time: string) => `about ${time}`,
  unreachable: 'as soon as the exchange can be reached',
  keeps: (orders: number) =>
    orders === 1 ? '1 order stays open' : `${formatCount(orders)} orders stay open`,
  forgets: (orders: number) =>
    orders === 1
      ? '1 order stays open at the exchange, and Sluice forgets it'
      : `${formatCount(orders)} orders stay open at the exchange, and Sluice forgets them`,
} as const
/** Every way to end trading, by what still passes: in the dialogs and in docs/stops.md. */
export const endings = {
  title: 'What still passes, in every way to end trading',
  columns: {
    way: 'Way',
    opens: 'New orders',
    closes: 'Orders that close',
    cancels: 'Cancels',
    reads: 'Reads',
    waiting: 'Waiting requests',
    working: 'Open orders',
  },
  ways: {
    reducing: 'Reducing',
    halted: 'Halt',
    stopped: 'Stop',
    disabled: 'Switch off',
    deleted: 'Delete',
    dropped: 'Drop what waits',
    'exchange stopped': 'Stop an exchange, or everything',
  } satisfies Record<Ending['way'], string>,
  passes: 'pass',
  refused: 'refused',
  waiting: {
    checked: 'checked at their turn',
    'orders dropped': 'orders dropped, others pass',
    dropped: 'dropped',
  } satisfies Record<Ending['waiting'], string>,
  working: {
    stay: 'stay',
    cancelled: 'cancelled, unless you choose otherwise',
    forgotten: 'stay at the exchange, unknown to Sluice',
  } satisfies Record<Ending['working'], string>,
} as const
export const dialog = {
  title: (what: string) => `Stop ${what}`,
  everything: 'everything',
  everythingTitle: 'Stop everything',
  clientLabel: 'Stop client',
  way: 'How',
  hints: {
    reducing: 'Opens nothing more, and still closes what it opened',
    halted: 'Places no order, also none that closes; still cancels and reads',
    stopped: 'As halted, and drops its waiting orders; you can cancel its open orders',
  },
  inShadow: 'Its limits are in shadow mode: this would refuse nothing',
  submit: { reducing: 'Set to reducing', halted: 'Halt client' },
  reason: 'Reason',
  reasonHint: 'Bots get it with each refused request',
  defaultReason: 'Stopped in the console',
  cancelOrders: 'Also cancel open orders, stop losses too',
  typed: (what: string) => `Type ${what} to stop it, or hold the button for a second`,
  sending: 'Stopping...',
  cancel: 'Cancel',
  close: 'Close',
  reducing: (client: string) => ({
    title: 'Client Updated',
    message: `${client} is reducing now.`,
  }),
  halted: (client: string) => ({
    title: 'Client Halted',
    message: `${client} can only cancel now.`,
  }),
  notInForce: (client: string) => ({
    title: 'Not in force',
    message: `${client} is in shadow mode, where its limits refuse nothing. Stop it instead.`,
  }),
} as const
export const resume = {
  unfinished: 'The stop is still cancelling orders. What it has not cancelled by now stays.',
  client: (client: string) => ({
    title: `Resume ${client}?`,
    label: 'Resume client',
    stopped: 'Its state and its limits apply again. What was cancelled stays cancelled.',
    halted: 'Its state becomes active: it may place orders again, within its limits.',
    done: {
      title: 'Client Resumed',
      message: `The stop or the stricter state of ${client} has ended.`,
    },
  }),
  exchange: (name: string) => ({
    title: `Resume ${name}?`,
    label: `Resume ${name}`,
    text: 'Requests go to it again. What was cancelled stays cancelled.',
    done: { title: `${name} Resumed`, message: 'Requests go to it again.' },
  }),
  everything: {
    title: 'Resume all exchanges?',
    label: 'Resume everything',
    text: 'Requests go to all exchanges again. Clients that were stopped stay stopped.',
    done: { title: 'All Resumed', message: 'Requests go to all exchanges again.' },
  },
} as const
