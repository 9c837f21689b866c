import {
  changeClientLimits,
  createClient,
  type Endpoint,
  EXCHANGE_NAMES,
  EXCHANGES,
  type ExchangeCode,
  type ListedClient,
  type Operations,
  resumeClient,
  resumeEverything,
  resumeExchange,
  saveApiKey,
  stopClient,
  stopEverything,
  stopExchange,
} from 'schema'
import type { IconName } from '../../components/icons.tsx'
import { addresses } from '../addresses.ts'
import type { AskedAction } from './action-dialog.tsx'
import type { Entry } from './entries.ts'
import * as texts from './texts.ts'

const words = texts.actions
const typed = texts.words

/** What can be done with a client in its state; all, when the gateway does not say the state. */
export function clientActions(clients: readonly ListedClient[]): readonly Entry[] {
  return clients.flatMap((client) => {
    const { clientId, state } = client
    const isStopped = state === 'stopped'
    const isStricter = state === 'halted' || state === 'reducing'
    const mayHalt = !isStopped && state !== 'halted'
    const mayResume = isStopped || isStricter || state === undefined
    return [
      ...(mayHalt
        ? [asks(words.halt(clientId), 'pause', { what: 'halt', client }, changeClientLimits)]
        : []),
      ...(isStopped
        ? []
        : [asks(words.stopAndCancel(clientId), 'ban', { what: 'stop', client }, stopClient)]),
      ...(mayResume
        ? [asks(words.resume(clientId), 'play', { what: 'resume', client }, resumeClient)]
        : []),
    ]
  })
}

/** As the Operations page lists them, the most waiting first; the others after them. */
export function busiestFirst(
  clients: readonly ListedClient[],
  operations: Operations | undefined,
): readonly ListedClient[] {
  const places = new Map(operations?.clients?.map((client, place) => [client?.id, place]))
  const placeOf = ({ id }: ListedClient) => places.get(id) ?? places.size
  return clients.toSorted((a, b) => placeOf(a) - placeOf(b))
}

/** What can be done with the exchanges; all, while their states are not known. */
export function exchangeActions(operations: Operations | undefined): readonly Entry[] {
  const stateOf = (code: ExchangeCode) =>
    operations?.exchanges.find(({ exchange }) => exchange === code)?.state
  const each = EXCHANGES.flatMap((exchange) => {
    const name = EXCHANGE_NAMES[exchange]
    const state = stateOf(exchange)
    const stop = (label: string, cancels: boolean) =>
      asks(label, 'ban', { what: 'stop', exchange, cancels }, stopExchange)
    return [
      ...(state === 'stopped'
        ? []
        : [stop(words.stop(name), false), stop(words.stopAndCancel(name), true)]),
      ...(state === 'stopped' || state === undefined
        ? [asks(words.resume(name), 'play', { what: 'resume', exchange }, resumeExchange)]
        : []),
    ]
  })
  const isAnyStopped = EXCHANGES.some((code) => stateOf(code) === 'stopped')
  return [
    ...each,
    asks(words.stopEverything, 'ban', { what: 'stop everything' }, stopEverything),
    ...(isAnyStopped || operations === undefined
      ? [asks(words.resumeEverything, 'play', { what: 'resume everything' }, resumeEverything)]
      : []),
  ]
}

interface ConsoleActions {
  readonly setScheme: (scheme: 'light' | 'dark' | 'auto') => void
  readonly showShortcuts: () => void
  readonly logOut: () => void
}

/** What can be done with the console itself. */
export function consoleActions(actions: ConsoleActions): readonly Entry[] {
  const { setScheme, showShortcuts, logOut } = actions
  return [
    goes(words.createClient, addresses.clients, createClient),
    goes(words.addApiKey, addresses.apiKeysAlias, saveApiKey),
    {
      ...runs(words.shortcuts, 'list', showShortcuts, typed.shortcuts),
      does: { run: showShortcuts, stays: true },
    },
    runs(words.scheme.light, 'sun', () => setScheme('light'), typed.scheme),
    runs(words.scheme.dark, 'moon', () => setScheme('dark'), typed.scheme),
    runs(words.scheme.auto, 'system', () => setScheme('auto'), typed.scheme),
    runs(words.logout, 'logout', logOut, typed.logout),
  ]
}

function asks(label: string, icon: IconName, ask: AskedAction, needs: Endpoint): Entry {
  return {
    needs,
    key: `do ${label}`,
    group: 'action',
    icon,
    label,
    hint: texts.asks,
    does: { ask },
  }
}

function goes(label: string, go: string, needs: Endpoint): Entry {
  return {
    needs,
    key: `do ${label}`,
    group: 'action',
    icon: 'plus',
    label,
    words: typed.new,
    does: { go },
  }
}

function runs(label: string, icon: IconName, run: () => void, words: string): Entry {
  return { key: `do ${label}`, group: 'action', icon, label, words, does: { run } }
}
