import { useMantineColorScheme } from '@mantine/core'
import { useEffect, useEffectEvent, useMemo, useRef } from 'react'
import { EXCHANGE_NAMES, getOperations, listClients } from 'schema'
import { mayCall, useRole } from '../../api/role.ts'
import { useQuery } from '../../api/use-query.ts'
import { formatDateTime } from '../../components/format-time.ts'
import { type FoundOrders, orderAddress } from '../../features/order-life/find-order.ts'
import { leave } from '../shell/account.tsx'
import { busiestFirst, clientActions, consoleActions, exchangeActions } from './action-entries.ts'
import { clientEntries, documentationPages, type Entry, endpoints, mainPages } from './entries.ts'
import { matching } from './match.ts'
import * as texts from './texts.ts'

/** What the palette shows for a text, group by group. */
export function useEntries(
  text: string,
  found: FoundOrders | undefined,
  find: () => void,
  onShortcuts: () => void,
): readonly Entry[] {
  const { setColorScheme } = useMantineColorScheme()
  const role = useRole()
  const isOffered = ({ needs }: Entry) => needs === undefined || mayCall(role, needs)
  const { data: clients = [], refresh } = useQuery(listClients)
  const { data: operations } = useQuery(getOperations)
  // A client may have been halted since the list was read.
  const readAgain = useEffectEvent(() => void refresh())
  useEffect(() => readAgain(), [])

  const exchanges = useMemo(() => exchangeActions(operations), [operations])
  // What is under the pointer or the arrow keys must not change its place.
  const opened = useRef(operations)
  opened.current ??= operations
  const first = opened.current
  const ofClients = useMemo(
    () => ({
      pages: clientEntries(clients),
      actions: clientActions(busiestFirst(clients, first)),
    }),
    [clients, first],
  )
  if (text.trim() === '') return [...mainPages, ...exchanges].filter(isOffered)
  const ofConsole = consoleActions({
    setScheme: setColorScheme,
    showShortcuts: onShortcuts,
    logOut: leave,
  })
  return [
    ...orderEntries(found),
    ...matching([...exchanges, ...ofClients.actions, ...ofConsole].filter(isOffered), text),
    ...matching([...mainPages.filter(isOffered), ...documentationPages], text),
    ...matching(ofClients.pages, text),
    ...matching(endpoints, text),
    {
      key: 'find',
      group: 'find',
      icon: 'search',
      label: texts.find(text.trim()),
      hint: texts.findHint,
      does: { run: find, stays: true },
    },
  ]
}

function orderEntries(found: FoundOrders | undefined): readonly Entry[] {
  return (found?.orders ?? []).map(({ id, method, endpoint, exchange, clientId, createdAt }) => ({
    key: id,
    group: 'order',
    icon: 'activity',
    label: `${method} ${endpoint}`,
    hint: `${EXCHANGE_NAMES[exchange]} · ${clientId} · ${formatDateTime(createdAt)}`,
    does: { go: orderAddress(id) },
  }))
}
