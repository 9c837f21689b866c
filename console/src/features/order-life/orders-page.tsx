import { Anchor, Button, Group, SegmentedControl, Select, Text, TextInput } from '@mantine/core'
import { type FormEvent, useEffect, useEffectEvent, useState } from 'react'
import { EXCHANGE_NAMES, EXCHANGES, exportOrders, listClients } from 'schema'
import { ExportButtons } from '../../api/export-buttons.tsx'
import { QueryView, useQuery } from '../../api/queries.tsx'
import { FailureNote } from '../../components/failure-note.tsx'
import { formatDateTime } from '../../components/format.ts'
import { Icon } from '../../components/icons.tsx'
import { EmptyNote, PageHeader, Quiet } from '../../components/page.tsx'
import { LiveSign } from '../../components/signs.tsx'
import { TypedInput } from '../../components/typed-input.tsx'
import { changeAddress, useAddressParam } from '../../components/use-address-param.ts'
import { type OrderSearch, useFindOrder } from './find-order.ts'
import { OrdersTable } from './orders-table.tsx'
import * as texts from './texts.ts'
import {
  ORDERS_EVERY_MS,
  type OrderFilter,
  toOrderQuery,
  useOrderFilter,
  useOrderSums,
  useOrders,
} from './use-orders.ts'

/** All orders, newest first; a search is an address: `/orders?find=grid-7-42`. */
export default function OrdersPage() {
  const [find, setFind] = useAddressParam('find')
  const filter = useOrderFilter()
  const { query, older } = useOrders(filter)
  const isWhole = Object.values(filter).every((value) => value === '' || value === undefined)
  const search = useFindOrder()
  const searchText = useEffectEvent(() => void search.search(find))
  useEffect(() => {
    if (find !== '') searchText()
  }, [find])
  return (
    <>
      <PageHeader
        title={texts.list.title}
        actions={<SearchField key={find} text={find} search={search} onSearch={setFind} />}
      />
      {find !== '' ? (
        <Found search={search} text={find} onAll={() => setFind('')} />
      ) : (
        <>
          <OrderFilters filter={filter} />
          <Group justify="space-between" align="flex-start" gap="xs" mb="xs">
            <SumLine filter={filter} />
            <Group gap="xs">
              <LiveSign of={query} everyMs={ORDERS_EVERY_MS} />
              <ExportButtons
                endpoint={exportOrders}
                toQuery={() => toOrderQuery(filter)}
                name="orders"
                words={texts.list.exports}
                failed={texts.list.exportFailed}
                size="compact-sm"
              />
            </Group>
          </Group>
          <QueryView
            query={query}
            what={texts.list.what}
            loading={<OrdersTable rows={undefined} />}
          >
            {(rows) => <OrdersTable rows={rows} isAll={older === undefined} isWhole={isWhole} />}
          </QueryView>
          {older !== undefined && (
            <Button
              variant="default"
              mt="sm"
              fullWidth
              onClick={older.load}
              loading={older.isReading}
            >
              {texts.list.older(formatDateTime(new Date(older.thanMs).toISOString()))}
            </Button>
          )}
        </>
      )}
    </>
  )
}

interface SearchFieldProps {
  readonly text: string
  readonly search: OrderSearch
  readonly onSearch: (text: string) => void
}

const SEARCH_STYLE = { width: 540, maxWidth: 'calc(100vw - 32px)' } as const

/** Finds an order by any of its names. */
function SearchField({ text, search, onSearch }: SearchFieldProps) {
  const [typed, setTyped] = useState(text)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (typed !== text) onSearch(typed)
    else void search.search(typed)
  }
  return (
    <search style={SEARCH_STYLE}>
      <form onSubmit={submit}>
        <Group gap="xs" wrap="nowrap">
          <TextInput
            type="search"
            aria-label={texts.field.label}
            placeholder={texts.field.label}
            title={texts.field.hint}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            maxLength={255}
            autoComplete="off"
            spellCheck={false}
            flex={1}
            miw={0}
          />
          <Button
            type="submit"
            loading={search.isSearching}
            leftSection={<Icon name="search" size={16} />}
          >
            {texts.field.submit}
          </Button>
        </Group>
      </form>
    </search>
  )
}

interface FoundProps {
  readonly search: OrderSearch
  readonly text: string
  readonly onAll: () => void
}

/** The orders that a search found, or that there are none, and why that may be. */
function Found({ search: { found, error, search }, text, onAll }: FoundProps) {
  return (
    <>
      <Group justify="space-between" mb="xs">
        <div role="status">
          {found !== undefined && found.orders.length > 0 && (
            <Quiet>{texts.several(found.orders.length)}</Quiet>
          )}
          {found?.orders.length === 0 && (
            <EmptyNote
              icon="search"
              title={texts.none(found.text)}
              hint={texts.noneHint(found.keptDays)}
            />
          )}
        </div>
        <Button variant="default" size="compact-sm" onClick={onAll}>
          {texts.list.all}
        </Button>
      </Group>
      {found !== undefined && found.orders.length > 0 && <OrdersTable rows={found.orders} />}
      {error !== undefined && (
        <FailureNote
          title={texts.failed}
          detail={error instanceof Error ? error.message : String(error)}
          requestId={null}
          onRetry={() => void search(text)}
        />
      )}
    </>
  )
}

const LINES_SHOWN = 6

/** What was traded, in one line: of the last hour, or of the span of the list. */
function SumLine({ filter }: { readonly filter: OrderFilter }) {
  const sums = useOrderSums(filter)
  const title = texts.sums.span(filter.span ?? '1h')
  const bySymbol = Map.groupBy(
    sums?.lines ?? [],
    ({ exchange, symbol }) => `${EXCHANGE_NAMES[exchange]} ${symbol ?? ''}`,
  )
  const symbols = [...bySymbol].map(([name, lines]) => ({
    ...{ name, symbol: lines[0]?.symbol ?? null },
    orders: lines.reduce((sum, { orders }) => sum + orders, 0),
    value: lines.reduce((sum, { value }) => sum + Number(value), 0),
  }))
  return (
    <section aria-label={texts.sums.label} style={{ flex: '1 1 400px' }}>
      <Text fz="sm" mih={44}>
        <span>{sums === undefined ? title : texts.sums.whole(title, sums)}</span>
        <br />
        {symbols.slice(0, LINES_SHOWN).map(({ name, symbol, orders, value }) => (
          <span key={name} style={{ display: 'inline-block' }}>
            {symbol === null ? (
              texts.sums.noSymbol
            ) : (
              <Anchor
                component="button"
                type="button"
                fz="sm"
                onClick={() => changeAddress({ symbol })}
              >
                {name}
              </Anchor>
            )}
            <Text span c="dimmed" fz="sm" mr="md">
              {texts.sums.line(orders, value)}
            </Text>
          </span>
        ))}
        {symbols.length > LINES_SHOWN && (
          <span>{texts.sums.more(symbols.length - LINES_SHOWN)}</span>
        )}
      </Text>
    </section>
  )
}

const { filters } = texts.list

const optionsOf = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }))
/** The first ones are what a person comes for; others are possible in the address. */
const FIRST_STATES = optionsOf(texts.list.firstStates)
const ALL_STATES = optionsOf({ open: texts.list.firstStates.open, ...texts.states })
const EXCHANGE_OPTIONS = EXCHANGES.map((value) => ({ value, label: EXCHANGE_NAMES[value] }))

/** What narrows the list, in one line where there is room. */
function OrderFilters({ filter }: { readonly filter: OrderFilter }) {
  const { data: clients = [] } = useQuery(listClients)
  const clientIds = clients.map(({ clientId }) => ({ value: clientId, label: clientId }))
  const selects = [
    ['client', filter.clientId, clientIds],
    ['exchange', filter.exchange, EXCHANGE_OPTIONS],
    ['side', filter.side, optionsOf(texts.list.sides)],
    ['state', filter.state, ALL_STATES],
    ['span', filter.span, optionsOf(texts.list.spans)],
  ] as const
  return (
    <Group gap="xs" mb="sm">
      <SegmentedControl
        aria-label={filters.first}
        data={FIRST_STATES}
        value={filter.state ?? ''}
        onChange={(state) => changeAddress({ state })}
      />
      {selects.map(([name, value, data]) => (
        <Select
          key={name}
          aria-label={filters[name]}
          placeholder={filters[name]}
          data={[...data]}
          value={value ?? null}
          onChange={(next) => changeAddress({ [name]: next ?? '' })}
          clearable
          searchable={name === 'client'}
          flex={name === 'client' ? '2 1 104px' : '1 1 113px'}
          miw={name === 'exchange' ? 116 : 96}
        />
      ))}
      <TypedInput
        aria-label={filters.symbol}
        placeholder={filters.symbol}
        value={filter.symbol ?? ''}
        // As the exchange writes it.
        onApply={(text) => changeAddress({ symbol: text.trim().toUpperCase() })}
        maxLength={64}
        autoComplete="off"
        spellCheck={false}
        flex="1 1 88px"
        miw={88}
      />
    </Group>
  )
}
