import { Select, Text } from '@mantine/core'
import { useCallback, useEffect, useEffectEvent } from 'react'
import {
  type ApiKey,
  deleteApiKey,
  type Endpoint,
  EXCHANGE_NAMES,
  listClients,
  saveApiKey,
  testApiKey,
} from 'schema'
import { NoMatch, ReadAgain } from '../../api/list-tools.tsx'
import { QueryView, useQuery } from '../../api/queries.tsx'
import { ActionButton, mayCall, useRefusal, useRole } from '../../api/role.tsx'
import { hasUnsent } from '../../api/use-unsent-form.tsx'
import { confirm } from '../../components/confirm.tsx'
import { showDialog } from '../../components/dialogs.tsx'
import { Card, EmptyNote, PageHeader, Quiet } from '../../components/page.tsx'
import { clearFilters } from '../../components/page-texts.ts'
import { toast } from '../../components/toast.tsx'
import { useActions } from '../../components/use-actions.ts'
import { useAddressParams } from '../../components/use-address-param.ts'
import { ADD_FORM, AddApiKeyDialog } from './add-api-key-dialog.tsx'
import { ApiKeyTable } from './api-key-table.tsx'
import classes from './api-keys.module.css'
import {
  type ApiKeys,
  exchangeOptions,
  filterApiKeys,
  type KeyPlace,
  useApiKeys,
} from './api-keys.ts'
import { TestApiKeyDialog } from './test-api-key-dialog.tsx'
import * as texts from './texts.ts'

export default function ApiKeysPage() {
  const [{ add }, setAddress] = useAddressParams(['add'])
  const mayAdd = useRefusal(saveApiKey) === undefined
  // Whose keys are added is in the address until that is done.
  const showAdd = (clientId?: string) =>
    showDialog((close) => {
      const end = () => {
        const isOpen = close()
        if (isOpen) setAddress({ add: '' })
        return isOpen
      }
      const test = (key: KeyPlace) => end() && showTest(key, true)
      return <AddApiKeyDialog clientId={clientId} onTest={test} onClose={end} />
    })
  const showFirst = useEffectEvent(() => {
    if (hasUnsent(ADD_FORM)) showAdd()
    else if (mayAdd && add !== '') showAdd(add)
  })
  useEffect(() => showFirst(), [])
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <ActionButton
            endpoint={saveApiKey}
            variant="filled"
            icon="plus"
            label={texts.add}
            does={texts.does.add}
            run={() => showAdd()}
          />
        }
      />
      <KeysCard />
    </>
  )
}

function showTest(apiKey: KeyPlace, isStarted = false): void {
  showDialog((close) => <TestApiKeyDialog {...{ apiKey, isStarted }} onClose={close} />)
}

/** The keys that the filters leave; distinguishes "none at all" from "none that match". */
function KeysCard() {
  const keys = useApiKeys()
  const clients = useQuery(listClients).data
  const [address, setAddress] = useAddressParams(['client', 'exchange', 'need', 'sort'])
  const clear = () => setAddress({ client: '', exchange: '', need: '' })
  const isFiltered = [address.client, address.exchange, address.need].some((each) => each !== '')
  const { remove } = keys
  const askDelete = useCallback((key: ApiKey) => void deleteAfterQuestion(key, remove), [remove])
  const role = useRole()
  useActions(() => [
    { label: clearFilters, does: texts.does.clear, run: clear, when: isFiltered },
    ...(keys.data ?? []).flatMap((key) => {
      const { does, row } = texts
      const name = EXCHANGE_NAMES[key.exchange]
      const offered = (label: string, what: string, endpoint: Endpoint, run: () => void) => ({
        ...{ label, does: what, run, isOfRow: true, when: mayCall(role, endpoint) },
      })
      return [
        offered(row.test(name, key.clientId), does.test, testApiKey, () => showTest(key)),
        offered(row.remove(name, key.clientId), does.remove, deleteApiKey, () => askDelete(key)),
      ]
    }),
  ])
  // Of all clients, and of those whose keys are still there.
  const ids = [...(clients ?? []), ...(keys.data ?? [])].map(({ clientId }) => clientId)
  return (
    <Card title={texts.table.title} actions={<ReadAgain query={keys} />}>
      <Filters clientIds={[...new Set(ids)]} values={address} onChange={setAddress} />
      <QueryView
        query={keys}
        what={texts.what}
        loading={
          <Quiet fz="md" py="sm">
            {texts.table.loading}
          </Quiet>
        }
      >
        {(rows) => {
          const matching = filterApiKeys(rows, address, Date.now())
          if (rows.length === 0)
            return <EmptyNote icon="key" title={texts.empty.title} hint={texts.empty.hint} />
          if (matching.length === 0) return <NoMatch title={texts.noMatch} onClear={clear} />
          return (
            <ApiKeyTable rows={matching} clients={clients} onTest={showTest} onDelete={askDelete} />
          )
        }}
      </QueryView>
    </Card>
  )
}

type Filter = Readonly<Record<'client' | 'exchange' | 'need' | 'sort', string>>

interface FiltersProps {
  readonly clientIds: readonly string[]
  readonly values: Filter
  readonly onChange: (changes: Partial<Filter>) => void
}

function Filters({ clientIds, values, onChange }: FiltersProps) {
  const clients = clientIds.map((value) => ({ value, label: value }))
  const filters = [
    ['client', texts.clientFilter, texts.allClients, clients],
    ['exchange', texts.exchangeFilter, texts.allExchanges, exchangeOptions],
    ['need', texts.needFilter, texts.allNeeds, texts.needs],
  ] as const
  return (
    <div className={classes.filters}>
      {filters.map(([name, label, all, options]) => (
        <Select
          key={name}
          size="xs"
          aria-label={label}
          data={[{ value: '', label: all }, ...options]}
          value={values[name]}
          // What a key needs has an order of its own.
          onChange={(value) => onChange({ [name]: value ?? '', ...(name === 'need' && NO_SORT) })}
          allowDeselect={false}
          // In the page's landmark, not beside it.
          comboboxProps={{ withinPortal: false }}
        />
      ))}
    </div>
  )
}

const NO_SORT = { sort: '' }

function deleteAfterQuestion(
  { clientId, exchange }: ApiKey,
  remove: ApiKeys['remove'],
): Promise<boolean> {
  const { title, question, ownPositions, confirm: label, deleted, failed } = texts.deleteDialog
  return confirm({
    ...{ title, label, failed },
    text: (
      <>
        <Text fz="sm" style={{ overflowWrap: 'anywhere' }}>
          {question(EXCHANGE_NAMES[exchange], clientId)}
        </Text>
        <Text fz="sm" c="dimmed">
          {ownPositions[exchange]}
        </Text>
      </>
    ),
    act: async () => {
      await remove({ params: { clientId, exchange } })
      toast({ title: texts.success, message: deleted })
    },
  })
}
