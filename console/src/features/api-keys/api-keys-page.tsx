import { Button, Select, Text } from '@mantine/core'
import { useCallback, useState } from 'react'
import {
  type ApiKey,
  deleteApiKey,
  type Endpoint,
  EXCHANGE_NAMES,
  type ListedClient,
  listClients,
  saveApiKey,
  testApiKey,
} from 'schema'
import { QueryView, useQuery } from '../../api/queries.tsx'
import { mayCall, RoleOnly, useRefusal, useRole } from '../../api/role.tsx'
import { hasUnsent } from '../../api/use-unsent-form.tsx'
import { confirm } from '../../components/confirm.tsx'
import { Icon } from '../../components/icons.tsx'
import { Card, EmptyNote, PageHeader } from '../../components/page.tsx'
import { ReadTime } from '../../components/signs.tsx'
import { toast } from '../../components/toast.tsx'
import { useActions } from '../../components/use-actions.ts'
import { useAddressParams } from '../../components/use-address-param.ts'
import { AddApiKeyDialog } from './add-api-key-dialog.tsx'
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
import { ADD_FORM } from './use-add-api-key-form.ts'

/** The dialog that is open over the page; at most one at a time. */
type Open =
  | { readonly dialog: 'add'; readonly clientId?: string }
  | { readonly dialog: 'test'; readonly key: KeyPlace; readonly isStarted: boolean }

export default function ApiKeysPage() {
  const keys = useApiKeys()
  const clients = useQuery(listClients)
  const [address, setAddress] = useAddressParams(['add'])
  const mayAdd = useRefusal(saveApiKey) === undefined
  const [open, setOpen] = useState<Open | null>(() => {
    if (hasUnsent(ADD_FORM)) return { dialog: 'add' }
    return mayAdd && address.add !== '' ? { dialog: 'add', clientId: address.add } : null
  })
  // The same for every render: a dialog that opens draws no row anew.
  const askTest = useCallback(
    (key: KeyPlace) => setOpen({ dialog: 'test', key, isStarted: false }),
    [],
  )
  const { remove } = keys
  const askDelete = useCallback((key: ApiKey) => void deleteAfterQuestion(key, remove), [remove])
  const role = useRole()
  useActions(() => [
    {
      ...{ label: texts.add, does: texts.does.add, icon: 'plus', when: mayAdd },
      run: () => setOpen({ dialog: 'add' }),
    },
    ...(keys.data ?? []).flatMap((key) => {
      const { does, row } = texts
      const name = EXCHANGE_NAMES[key.exchange]
      const offered = (label: string, what: string, endpoint: Endpoint, run: () => void) => ({
        ...{ label, does: what, run, isOfRow: true, when: mayCall(role, endpoint) },
      })
      return [
        offered(row.test(name, key.clientId), does.test, testApiKey, () => askTest(key)),
        offered(row.remove(name, key.clientId), does.remove, deleteApiKey, () => askDelete(key)),
      ]
    }),
  ])
  const close = () => {
    setOpen(null)
    if (address.add !== '') setAddress({ add: '' })
  }
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <RoleOnly endpoint={saveApiKey}>
            <Button
              leftSection={<Icon name="plus" size={16} />}
              onClick={() => setOpen({ dialog: 'add' })}
            >
              {texts.add}
            </Button>
          </RoleOnly>
        }
      />
      <KeysCard keys={keys} clients={clients.data} onTest={askTest} onDelete={askDelete} />
      {open?.dialog === 'add' && (
        <AddApiKeyDialog
          clients={clients}
          keys={keys}
          clientId={open.clientId}
          onTest={(key) => {
            close()
            setOpen({ dialog: 'test', key, isStarted: true })
          }}
          onClose={close}
        />
      )}
      {open?.dialog === 'test' && (
        <TestApiKeyDialog apiKey={open.key} isStarted={open.isStarted} onClose={close} />
      )}
    </>
  )
}

interface KeysCardProps {
  readonly keys: ApiKeys
  /** Undefined while they are not known. */
  readonly clients: readonly ListedClient[] | undefined
  readonly onTest: (key: ApiKey) => void
  readonly onDelete: (key: ApiKey) => void
}

/** The keys that the filters leave; distinguishes "none at all" from "none that match". */
function KeysCard({ keys, clients, onTest, onDelete }: KeysCardProps) {
  const [address, setAddress] = useAddressParams(['client', 'exchange', 'need', 'sort'])
  const clear = () => setAddress({ client: '', exchange: '', need: '' })
  const isFiltered = [address.client, address.exchange, address.need].some((each) => each !== '')
  useActions(() => [
    {
      ...{ label: texts.refresh, does: texts.does.refresh, icon: 'refresh' },
      run: () => void keys.refresh(),
    },
    { label: texts.clearFilters, does: texts.does.clear, run: clear, when: isFiltered },
  ])
  return (
    <Card
      title={texts.table.title}
      actions={
        <>
          <ReadTime atMs={keys.readAtMs} hasFailed={keys.error !== undefined} />
          <Button
            variant="default"
            size="xs"
            leftSection={<Icon name="refresh" size={14} />}
            disabled={keys.isReading}
            onClick={() => void keys.refresh()}
          >
            {texts.refresh}
          </Button>
        </>
      }
    >
      <Filters
        clientIds={clientIdsOf(clients, keys.data)}
        values={address}
        onChange={(changes) =>
          // What a key needs has an order of its own.
          setAddress('need' in changes ? { ...changes, sort: '' } : changes)
        }
      />
      <QueryView
        query={keys}
        what={texts.what}
        loading={<Text c="dimmed">{texts.table.loading}</Text>}
      >
        {(rows) => {
          const { client: clientId, exchange, need } = address
          const matching = filterApiKeys(rows, { clientId, exchange, need }, Date.now())
          if (matching.length > 0)
            return (
              <ApiKeyTable rows={matching} clients={clients} onTest={onTest} onDelete={onDelete} />
            )
          return rows.length === 0 ? (
            <EmptyNote icon="key" title={texts.empty.title} hint={texts.empty.hint} />
          ) : (
            <EmptyNote
              icon="search"
              title={texts.noMatch}
              action={
                <Button variant="default" size="xs" mt="sm" onClick={clear}>
                  {texts.clearFilters}
                </Button>
              }
            />
          )
        }}
      </QueryView>
    </Card>
  )
}

/** Of all clients, and of those whose keys are still there. */
function clientIdsOf(
  clients: readonly ListedClient[] = [],
  keys: readonly ApiKey[] = [],
): readonly string[] {
  return [...new Set([...clients, ...keys].map(({ clientId }) => clientId))]
}

type FilterName = 'client' | 'exchange' | 'need'

interface FiltersProps {
  readonly clientIds: readonly string[]
  readonly values: Readonly<Record<FilterName, string>>
  readonly onChange: (changes: Partial<Readonly<Record<FilterName, string>>>) => void
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
          onChange={(value) => onChange({ [name]: value ?? '' })}
          allowDeselect={false}
          // In the page's landmark, not beside it.
          comboboxProps={{ withinPortal: false }}
        />
      ))}
    </div>
  )
}

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
