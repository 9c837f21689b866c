import { useMantineColorScheme } from '@mantine/core'
import { type ReactNode, useEffect, useEffectEvent, useMemo, useRef } from 'react'
import {
  changeClientLimits,
  createClient,
  type DocPage,
  docPages,
  type Endpoint,
  EXCHANGE_NAMES,
  EXCHANGES,
  getOperations,
  type ListedClient,
  listClients,
  type Operations,
  resumeClient,
  resumeEverything,
  resumeExchange,
  saveApiKey,
  stopClient,
  stopEverything,
  stopExchange,
} from 'schema'
import { useQuery } from '../../api/queries.tsx'
import { mayCall, useRole } from '../../api/role.tsx'
import { StopDialog } from '../../api/stop-dialog.tsx'
import { useResuming } from '../../api/stop-state.ts'
import { formId } from '../../api/use-unsent-form.tsx'
import { formatDateTime } from '../../components/format.ts'
import type { IconName } from '../../components/icons.tsx'
import { type PageAction, pageActions } from '../../components/use-actions.ts'
import { type FoundOrders, orderAddress } from '../../features/order-life/find-order.ts'
import { addresses } from '../addresses.ts'
import { leave } from '../shell/header.tsx'
import { accountLink, navigation } from '../shell/links.ts'
import { matching } from './match.ts'
import * as texts from './texts.ts'

/** Draws the question of a command. */
export type Ask = (onClose: () => void) => ReactNode

/** A line of the palette: where it leads, or what it does. */
export interface Entry {
  readonly key: string
  readonly group: keyof typeof texts.groups
  readonly icon: IconName
  readonly label: string
  /** What it will do, or where it leads. */
  readonly hint?: string | undefined
  /** More words by which it is found. */
  readonly words?: string | undefined
  /** Offered only to roles that may call it; absent: to all. */
  readonly needs?: Endpoint | undefined
  readonly does:
    | { readonly go: string }
    | { readonly ask: Ask }
    /** `stays`: the palette shows what comes of it, or something else takes its place. */
    | { readonly run: () => void; readonly stays?: boolean }
}

/** The pages that are no documentation: shown before anything is typed. */
const mainPages: readonly Entry[] = [...navigation.flatMap(({ links }) => links), accountLink].map(
  ({ label, address, icon, needs }) => ({ ...pageOf(address, label, icon), needs }),
)

const documentationPages: readonly Entry[] = docPages.map((page) => ({
  ...pageOf(page.path, `${EXCHANGE_NAMES[page.exchange]} ${page.label}`, 'list'),
  hint: page.section,
  words: page.section,
}))

/** Each documented endpoint once, with the address of its form, if it has one. */
const endpoints: readonly Entry[] = [
  ...new Map(
    docPages
      .flatMap((page) => page.endpoints as readonly Endpoint[])
      .map((endpoint) => [endpoint.id, endpointEntry(endpoint)] as const),
  ).values(),
]

function pageOf(address: string, label: string, icon: IconName): Entry {
  return { key: address, group: 'page', icon, label, does: { go: address } }
}

function endpointEntry(endpoint: Endpoint): Entry {
  const { id, method, path, summary, proxy } = endpoint
  const exchange = proxy === undefined ? '' : EXCHANGE_NAMES[proxy.exchange]
  return {
    ...{ key: id, group: 'endpoint', icon: 'send', label: summary, hint: `${method} ${path}` },
    words: `${method} ${path} ${id} ${exchange}`,
    does: { go: addressOf(endpoint) },
  }
}

function addressOf({ id }: Endpoint): string {
  const shows = ({ endpoints }: DocPage) => endpoints.some((each) => each.id === id)
  // A page whose first endpoint places orders has a form for that one alone.
  const hasForm = (page: DocPage) =>
    page.endpoints[0].id === id ||
    (page.endpoints[0].proxy?.requestClass !== 'order' && shows(page))
  const withForm = docPages.find(hasForm)
  return withForm === undefined
    ? (docPages.find(shows)?.path ?? addresses.overview)
    : `${withForm.path}#${formId({ id } as Endpoint)}`
}

/** The page of each client. */
function clientEntries(clients: readonly ListedClient[]): readonly Entry[] {
  return clients.map(({ id, clientId, description }) => ({
    ...{ key: `client ${id}`, group: 'client', icon: 'users', label: clientId },
    hint: description ?? undefined,
    words: description ?? undefined,
    does: { go: `${addresses.clients}/${id}` },
  }))
}

/** As the Operations page lists them, the most waiting first; the others after them. */
function busiestFirst(
  clients: readonly ListedClient[],
  operations: Operations | undefined,
): readonly ListedClient[] {
  const places = new Map(operations?.clients?.map((client, place) => [client?.id, place]))
  const placeOf = ({ id }: ListedClient) => places.get(id) ?? places.size
  return clients.toSorted((a, b) => placeOf(a) - placeOf(b))
}

const words = texts.actions
const does = texts.does

type Resuming = ReturnType<typeof useResuming>

/** What can be done with a client in its state; all, when the gateway does not say the state. */
function clientActions(clients: readonly ListedClient[], resuming: Resuming): readonly Entry[] {
  return clients.flatMap((client) => {
    const { clientId, state } = client
    const isStopped = state === 'stopped'
    const stop =
      (way: 'halted' | 'stopped'): Ask =>
      (onClose) => <StopDialog of={{ client }} way={way} onClose={onClose} />
    const stops = [
      asks(words.halt(clientId), does.halt, 'pause', changeClientLimits, stop('halted')),
      asks(words.stopAndCancel(clientId), does.stopClient, 'ban', stopClient, stop('stopped')),
    ]
    const resume = () => void resuming.client(client)
    return [
      ...(isStopped ? [] : stops.slice(state === 'halted' ? 1 : 0)),
      ...(state === 'active'
        ? []
        : [runs(words.resume(clientId), does.resumeClient, resumeClient, resume)]),
    ]
  })
}

/** What can be done with the exchanges; all, while their states are not known. */
function exchangeActions(operations: Operations | undefined, resuming: Resuming): readonly Entry[] {
  const each = EXCHANGES.flatMap((exchange) => {
    const name = EXCHANGE_NAMES[exchange]
    const now = operations?.exchanges.find((other) => other.exchange === exchange)
    const stop =
      (cancels: boolean): Ask =>
      (onClose) => <StopDialog of={{ exchange }} cancels={cancels} onClose={onClose} />
    const waiting = now?.queueSize
    const stops = [
      asks(words.stop(name), does.stop(waiting), 'ban', stopExchange, stop(false)),
      asks(words.stopAndCancel(name), does.cancel(waiting), 'ban', stopExchange, stop(true)),
    ]
    const resume = () => void resuming.exchange(exchange, now?.stop ?? null)
    const resumes = [runs(words.resume(name), does.resume, resumeExchange, resume)]
    if (now === undefined) return [...stops, ...resumes]
    return now.state === 'stopped' ? resumes : stops
  })
  const isAnyStopped = operations?.exchanges.some(({ state }) => state === 'stopped') ?? true
  const resume = () => void resuming.everything()
  return [
    ...each,
    asks(words.stopEverything, does.stopEverything, 'ban', stopEverything, (onClose) => (
      <StopDialog of="everything" onClose={onClose} />
    )),
    ...(isAnyStopped ? [runs(words.resumeEverything, does.resume, resumeEverything, resume)] : []),
  ]
}

function asks(label: string, hint: string, icon: IconName, needs: Endpoint, ask: Ask): Entry {
  return { key: `do ${label}`, group: 'action', icon, label, hint, needs, does: { ask } }
}

function runs(label: string, hint: string, needs: Endpoint, run: () => void): Entry {
  return { key: `do ${label}`, group: 'action', icon: 'play', label, hint, needs, does: { run } }
}

/** At most this many of a page are shown before anything is typed. */
const HERE_MAX = 12

/** What the pages that are shown offer. */
function entriesOfPages(actions: readonly PageAction[]): readonly Entry[] {
  return actions.map(({ label, does, run, icon = 'play', words }) => ({
    ...{ key: `here ${label} ${does}`, group: 'here', icon, label, hint: does, words },
    does: { run },
  }))
}

interface ConsoleActions {
  readonly setScheme: (scheme: 'light' | 'dark' | 'auto') => void
  readonly showShortcuts: () => void
  readonly logOut: () => void
}

/** What can be done with the console itself. */
function consoleActions(actions: ConsoleActions): readonly Entry[] {
  const { setScheme, showShortcuts, logOut } = actions
  const typed = texts.words
  const action = (label: string, icon: IconName, words: string, does: Entry['does']): Entry => ({
    ...{ key: `do ${label}`, group: 'action', icon, label, words, does },
  })
  return [
    {
      ...action(words.createClient, 'plus', typed.new, { go: addresses.clients }),
      ...{ needs: createClient, hint: does.form },
    },
    {
      ...action(words.addApiKey, 'plus', typed.new, { go: addresses.apiKeysAlias }),
      ...{ needs: saveApiKey, hint: does.form },
    },
    action(words.shortcuts, 'list', typed.shortcuts, { run: showShortcuts, stays: true }),
    action(words.scheme.light, 'sun', typed.scheme, { run: () => setScheme('light') }),
    action(words.scheme.dark, 'moon', typed.scheme, { run: () => setScheme('dark') }),
    action(words.scheme.auto, 'system', typed.scheme, { run: () => setScheme('auto') }),
    {
      ...action(words.logout, 'logout', typed.logout, { run: logOut }),
      hint: does.logout,
    },
  ]
}

/**
 * What the palette shows for a text, group by group: what leads somewhere before what does
 * something, so that an Enter too early changes nothing.
 */
export function useEntries(
  text: string,
  found: FoundOrders | undefined,
  find: () => void,
  onShortcuts: () => void,
): readonly Entry[] {
  const { setColorScheme } = useMantineColorScheme()
  const role = useRole()
  const { data: clients = [], refresh } = useQuery(listClients)
  const { data: operations } = useQuery(getOperations)
  // A client may have been halted since the list was read.
  const readAgain = useEffectEvent(() => void refresh())
  useEffect(() => readAgain(), [])

  const resuming = useResuming()
  const exchanges = exchangeActions(operations, resuming)
  // What is under the pointer or the arrow keys must not change its place.
  const opened = useRef(operations)
  opened.current ??= operations
  const first = opened.current
  const busiest = useMemo(() => busiestFirst(clients, first), [clients, first])
  const actions = pageActions()
  const offered = (entries: readonly Entry[]) =>
    entries.filter(({ needs }) => needs === undefined || mayCall(role, needs))
  if (text.trim() === '') {
    const here = entriesOfPages(actions.filter(({ isOfRow }) => isOfRow !== true))
    return offered([...here.slice(0, HERE_MAX), ...mainPages, ...exchanges])
  }
  const ofConsole = consoleActions({
    setScheme: setColorScheme,
    showShortcuts: onShortcuts,
    logOut: leave,
  })
  return [
    ...orderEntries(found),
    ...matching([...offered(mainPages), ...documentationPages], text),
    ...matching(clientEntries(clients), text),
    ...matching(entriesOfPages(actions), text),
    ...matching(offered([...exchanges, ...clientActions(busiest, resuming), ...ofConsole]), text),
    ...matching(endpoints, text),
    {
      ...{ key: 'find', group: 'find', icon: 'search', hint: texts.findHint },
      label: texts.find(text.trim()),
      does: { run: find, stays: true },
    },
  ]
}

function orderEntries(found: FoundOrders | undefined): readonly Entry[] {
  return (found?.orders ?? []).map(({ id, method, endpoint, exchange, clientId, createdAt }) => ({
    ...{ key: id, group: 'order', icon: 'activity', label: `${method} ${endpoint}` },
    hint: `${EXCHANGE_NAMES[exchange]} · ${clientId} · ${formatDateTime(createdAt)}`,
    does: { go: orderAddress(id) },
  }))
}
