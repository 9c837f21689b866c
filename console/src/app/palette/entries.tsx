import { type MantineColorScheme, useMantineColorScheme } from '@mantine/core'
import { useEffect, useEffectEvent, useMemo, useRef } from 'react'
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
import type { StopWish } from '../../api/stop-dialog.tsx'
import { useResuming } from '../../api/stop-state.ts'
import { formId } from '../../api/use-unsent-form.tsx'
import { formatDateTime } from '../../components/format.ts'
import type { IconName } from '../../components/icons.tsx'
import { type PageAction, pageActions } from '../../components/use-actions.ts'
import { type FoundOrders, orderAddress } from '../../features/order-life/find-order.ts'
import { addresses } from '../addresses.ts'
import { leave, SCHEMES } from '../shell/header.tsx'
import { accountLink, navigation } from '../shell/links.ts'
import { matching } from './match.ts'
import * as texts from './texts.ts'

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
    /** Opens the dialog of a stop. */
    | { readonly stop: StopWish }
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
function clientActions(client: ListedClient, resuming: Resuming): readonly Entry[] {
  const { clientId: id, state } = client
  const of = { client }
  const halt = { stop: { of, way: 'halted' } } as const
  const resume = { run: () => void resuming.client(client) }
  const actions = [
    state !== 'stopped' &&
      state !== 'halted' &&
      action(words.halt(id), does.halt, 'pause', changeClientLimits, halt),
    state !== 'stopped' &&
      action(words.stopAndCancel(id), does.stopClient, 'ban', stopClient, { stop: { of } }),
    state !== 'active' && action(words.resume(id), does.resumeClient, 'play', resumeClient, resume),
  ]
  return actions.filter((each) => each !== false)
}

/** What can be done with the exchanges; all, while their states are not known. */
function exchangeActions(operations: Operations | undefined, resuming: Resuming): readonly Entry[] {
  const each = EXCHANGES.flatMap((exchange) => {
    const name = EXCHANGE_NAMES[exchange]
    const now = operations?.exchanges.find((other) => other.exchange === exchange)
    const of = { exchange }
    const [stop, cancel] = [does.stop(now?.queueSize), does.cancel(now?.queueSize)]
    const stops = [
      action(words.stop(name), stop, 'ban', stopExchange, { stop: { of, cancels: false } }),
      action(words.stopAndCancel(name), cancel, 'ban', stopExchange, { stop: { of } }),
    ]
    const resume = () => void resuming.exchange(exchange, now?.stop ?? null)
    const resumes = [
      action(words.resume(name), does.resume, 'play', resumeExchange, { run: resume }),
    ]
    if (now === undefined) return [...stops, ...resumes]
    return now.state === 'stopped' ? resumes : stops
  })
  const isAnyStopped = operations?.exchanges.some(({ state }) => state === 'stopped') ?? true
  const [stop, run] = [{ of: 'everything' } as const, () => void resuming.everything()]
  return [
    ...each,
    action(words.stopEverything, does.stopEverything, 'ban', stopEverything, { stop }),
    ...(isAnyStopped
      ? [action(words.resumeEverything, does.resume, 'play', resumeEverything, { run })]
      : []),
  ]
}

function action(
  label: string,
  hint: string | undefined,
  icon: IconName,
  needs: Endpoint | undefined,
  does: Entry['does'],
  words?: string,
): Entry {
  return { key: `do ${label}`, group: 'action', icon, label, hint, needs, does, words }
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

/** What can be done with the console itself. */
function consoleActions(
  setScheme: (scheme: MantineColorScheme) => void,
  showShortcuts: () => void,
): readonly Entry[] {
  const { scheme, shortcuts, logout, createClient: create, addApiKey } = words
  const typed = texts.words
  const [form, ofKeys] = [{ go: addresses.clients }, { go: addresses.apiKeysAlias }]
  const list = { run: showShortcuts, stays: true }
  return [
    action(create, does.form, 'plus', createClient, form, typed.new),
    action(addApiKey, does.form, 'plus', saveApiKey, ofKeys, typed.new),
    action(shortcuts, undefined, 'list', undefined, list, typed.shortcuts),
    ...(['light', 'dark', 'auto'] as const).map((name) => {
      const set = { run: () => setScheme(name) }
      return action(scheme[name], undefined, SCHEMES[name].icon, undefined, set, typed.scheme)
    }),
    action(logout, does.logout, 'logout', undefined, { run: leave }, typed.logout),
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
  return [
    ...orderEntries(found),
    ...matching([...offered(mainPages), ...documentationPages], text),
    ...matching(clientEntries(clients), text),
    ...matching(entriesOfPages(actions), text),
    ...matching(
      offered([
        ...exchanges,
        ...busiest.flatMap((client) => clientActions(client, resuming)),
        ...consoleActions(setColorScheme, onShortcuts),
      ]),
      text,
    ),
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
