import {
  Anchor,
  Badge,
  Button,
  NativeSelect,
  Paper,
  Switch,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { memo, useId, useState } from 'react'
import {
  deleteClient,
  type Endpoint,
  EXCHANGE_NAMES,
  EXCHANGES,
  type ListedClient,
  toggleClient,
  updateClient,
} from 'schema'
import { Link } from 'wouter'
import { shadowWords } from '../../api/exchange-state.ts'
import { limitNames } from '../../api/exchange-texts.ts'
import { reportFailure } from '../../api/failures.tsx'
import { mayCall, RoleOnly, useRole } from '../../api/role.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { formatDateTime, formatRoughly } from '../../components/format.ts'
import { Icon } from '../../components/icons.tsx'
import { EmptyNote } from '../../components/page.tsx'
import { useGrowingList } from '../../components/rows-table.tsx'
import { ShortText } from '../../components/short-text.tsx'
import { ReadTime } from '../../components/signs.tsx'
import { toast } from '../../components/toast.tsx'
import { useActions } from '../../components/use-actions.ts'
import { filterClients, useClientFilter } from './client-filter.ts'
import * as pageTexts from './client-page-texts.ts'
import { previewOf, SecretField } from './client-secret.tsx'
import classes from './clients.module.css'
import { PermissionTags } from './permissions.tsx'
import * as texts from './texts.ts'
import { type ClientRecord, type Clients, nearness, STATE_COLOURS } from './use-clients.ts'

interface RowActs {
  readonly toggle: Clients['toggle']
  readonly onToggled: (client: ClientRecord) => void
  readonly onEdit: (client: ClientRecord) => void
  readonly onDelete: (client: ClientRecord) => void
}

interface ClientListProps extends RowActs {
  readonly rows: readonly ClientRecord[]
  /** Where each client has keys, apart by a blank; undefined while that is not known. */
  readonly exchanges: ReadonlyMap<string, string> | undefined
  /** When clients were last seen, as far as that is known. */
  readonly seenAt: ReadonlyMap<number, string>
  readonly isReading: boolean
  readonly readAtMs: number | null
  /** The last read failed; the rows are older. */
  readonly hasFailed: boolean
  /** Secrets of this visit by client id: only their rows can reveal and copy. */
  readonly freshSecrets: ReadonlyMap<string, string>
  readonly onRefresh: () => void
}

export function ClientList(props: ClientListProps) {
  const { rows, exchanges, seenAt, freshSecrets, toggle, onToggled, onEdit, onDelete } = props
  const state = useClientFilter()
  const matching = filterClients(rows, state.filter)
  const { visible, end } = useGrowingList(matching)
  const titleId = useId()
  const role = useRole()
  useActions(() => {
    const { does, of, filter, refresh } = texts
    const { onRefresh } = props
    return [
      { label: refresh, does: does.refresh, run: onRefresh, icon: 'refresh' },
      { label: filter.clear, does: does.clear, run: state.clear, when: state.isNarrowed },
      ...rows.flatMap((client) => {
        const { clientId, isActive } = client
        const offered = (label: string, what: string, endpoint: Endpoint, run: () => void) => ({
          ...{ label, does: what, run, isOfRow: true, when: mayCall(role, endpoint) },
        })
        const press = () => void turn(client, !isActive, props)
        return [
          offered(of.turn(clientId, !isActive), does.turn(!isActive), toggleClient, press),
          offered(of.edit(clientId), does.edit, updateClient, () => onEdit(client)),
          offered(of.remove(clientId), does.remove, deleteClient, () => onDelete(client)),
        ]
      }),
    ]
  })
  return (
    <Paper component="section" aria-labelledby={titleId} withBorder px="lg" py="xs">
      <div className={classes.head}>
        <Title order={2} fz="md" id={titleId}>
          {texts.listTitle(rows.length)}
        </Title>
        {rows.length > 0 && <Filters state={state} />}
        <ReadTime atMs={props.readAtMs} hasFailed={props.hasFailed} />
        <Button
          variant="default"
          size="xs"
          leftSection={<Icon name="refresh" size={14} />}
          disabled={props.isReading}
          onClick={props.onRefresh}
        >
          {texts.refresh}
        </Button>
      </div>
      {rows.length === 0 && (
        <EmptyNote icon="users" title={texts.empty.title} hint={texts.empty.hint} />
      )}
      {state.isNarrowed && rows.length > 0 && (
        <Text fz="sm" c="dimmed" role="status" mb="sm">
          {texts.filter.showing(matching.length, rows.length)}
        </Text>
      )}
      {rows.length > 0 && matching.length === 0 && (
        <EmptyNote
          icon="search"
          title={texts.filter.noMatch}
          action={
            <Button variant="default" size="xs" mt="sm" onClick={state.clear}>
              {texts.filter.clear}
            </Button>
          }
        />
      )}
      <ul className={classes.list}>
        {visible.map((client) => (
          <ClientRow
            key={client.id}
            client={client}
            exchanges={exchanges && (exchanges.get(client.clientId) ?? '')}
            seenAt={seenAt.get(client.id)}
            freshSecret={freshSecrets.get(client.clientId)}
            toggle={toggle}
            onToggled={onToggled}
            onEdit={onEdit}
            onDelete={onDelete}
          />
        ))}
      </ul>
      <div ref={end} />
    </Paper>
  )
}

/** Search, state and order of the list. */
function Filters({ state }: { readonly state: ReturnType<typeof useClientFilter> }) {
  const { filter, sortText, setSearch, setState, setSort } = state
  return (
    <div className={classes.filters}>
      <TextInput
        type="search"
        size="xs"
        aria-label={texts.filter.searchLabel}
        placeholder={texts.filter.search}
        leftSection={<Icon name="search" size={14} />}
        value={filter.search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      <NativeSelect
        size="xs"
        aria-label={texts.filter.stateLabel}
        data={[...texts.filter.states]}
        value={filter.state}
        onChange={(event) => setState(event.currentTarget.value)}
      />
      <NativeSelect
        size="xs"
        aria-label={texts.filter.sortLabel}
        data={[...texts.filter.sorts]}
        value={sortText}
        onChange={(event) => setSort(event.currentTarget.value)}
      />
    </div>
  )
}

interface ClientRowProps extends RowActs {
  readonly client: ClientRecord
  /** Where it has keys, apart by a blank; undefined while that is not known. */
  readonly exchanges: string | undefined
  readonly seenAt: string | undefined
  /** The secret when it was made during this visit. */
  readonly freshSecret: string | undefined
}

/** The id of a row's delete button, where the keyboard goes after a deletion. */
export const deleteButtonId = (id: number | '') => `delete-client-${id}`

/** Two lines. A dialog that opens above a long list draws none of its rows again. */
const ClientRow = memo(function ClientRow(props: ClientRowProps) {
  const { client, exchanges, seenAt, freshSecret, toggle, onToggled, onEdit, onDelete } = props
  const { id, clientId, description, isActive, createdAt, state } = client
  const { nearestLimit = null, wouldHaveRefused = null } = client
  return (
    <li className={classes.row}>
      <div className={classes.line}>
        <ActiveSwitch client={client} toggle={toggle} onToggled={onToggled} />
        <span className={classes.id}>
          <ShortText text={clientId} href={`/client-credentials/${id}`} />
        </span>
        <Badge variant="light" color={isActive ? 'green' : 'gray'}>
          {isActive ? texts.row.active : texts.row.inactive}
        </Badge>
        {state !== undefined && state !== 'active' && (
          <Badge variant="light" color={STATE_COLOURS[state]}>
            {pageTexts.states[state]}
          </Badge>
        )}
        {freshSecret !== undefined && <Badge variant="light">{texts.row.isNew}</Badge>}
        <PermissionTags permissions={client.permissions} />
        {description && (
          <span className={classes.description} title={description}>
            {description}
          </span>
        )}
        <span className={classes.seen}>
          {wouldHaveRefused !== null && shadowWords(wouldHaveRefused)}
          {nearestLimit !== null && nearestLimit.percent > 0 && <NearestLimit {...nearestLimit} />}
          {seenAt !== undefined && (
            <span title={formatDateTime(seenAt)}>
              {texts.row.seen(formatRoughly(Math.max(0, Date.now() - Date.parse(seenAt))))}
            </span>
          )}
        </span>
        <div className={classes.actions} data-screen-only>
          <RoleOnly endpoint={updateClient}>
            <Button
              variant="default"
              size="compact-xs"
              aria-label={texts.of.edit(clientId)}
              onClick={() => onEdit(client)}
            >
              {texts.row.edit}
            </Button>
          </RoleOnly>
          <RoleOnly endpoint={deleteClient}>
            <Button
              id={deleteButtonId(id)}
              color="red"
              variant="light"
              size="compact-xs"
              aria-label={texts.of.remove(clientId)}
              onClick={() => onDelete(client)}
            >
              {texts.row.remove}
            </Button>
          </RoleOnly>
        </div>
      </div>
      <div className={classes.line}>
        <TextInput
          size="xs"
          readOnly
          value={clientId}
          aria-label={texts.of.clientId(clientId)}
          classNames={{ root: classes.copied, input: classes.code }}
          data-screen-only
          rightSection={
            <CopyButton
              value={clientId}
              label={texts.clientId}
              size={26}
              name={texts.of.copyClientId(clientId)}
            />
          }
        />
        <SecretField
          clientId={clientId}
          secret={client.clientSecret ?? freshSecret}
          preview={previewOf(client)}
          isInRow
        />
        <span className={classes.facts}>
          <span>{texts.row.created(formatDateTime(createdAt))}</span>
          <Links client={client} exchanges={exchanges} />
        </span>
      </div>
    </li>
  )
})

/** The id of a row's switch, where the keyboard goes back to. */
export const switchId = (id: number) => `switch-client-${id}`

/**
 * Shows the wished state at once, is disabled until the response, and falls back when the server
 * refuses.
 */
function ActiveSwitch(props: Pick<ClientRowProps, 'client' | 'toggle' | 'onToggled'>) {
  const { client } = props
  const { id, clientId, isActive } = client
  const [isPending, setPending] = useState(false)
  const press = async () => {
    setPending(true)
    await turn(client, !isActive, props)
    setPending(false)
  }
  return (
    <RoleOnly endpoint={toggleClient}>
      <Switch
        id={switchId(id)}
        size="sm"
        aria-label={texts.of.active(clientId)}
        checked={isActive !== isPending}
        disabled={isPending}
        onChange={() => void press()}
      />
    </RoleOnly>
  )
}

/** Switches a client on or off. What that ended is said, with the way back. */
async function turn(
  client: ClientRecord,
  isOn: boolean,
  acts: Pick<RowActs, 'toggle' | 'onToggled'>,
): Promise<void> {
  const { id, clientId } = client
  const { title, text, off, undo, undoOf } = texts.toggled
  try {
    const { dropped } = await acts.toggle({ params: { id }, body: { isActive: isOn } })
    const message = isOn ? (
      text
    ) : (
      <>
        <Text fz="inherit">{text}</Text>
        <Text fz="inherit" my={4}>
          {off(dropped)}
        </Text>
        <Button
          variant="default"
          size="compact-sm"
          aria-label={undoOf(clientId)}
          onClick={() => void turn(client, true, acts)}
        >
          {undo}
        </Button>
      </>
    )
    toast({ title, message })
    acts.onToggled(client)
  } catch (error) {
    reportFailure(error, { fallback: texts.toggleFailed })
  }
}

/** Where a client has keys, where its requests are to be found, and its limits. */
function Links({ client, exchanges }: Pick<ClientRowProps, 'client' | 'exchanges'>) {
  const { id, clientId } = client
  const stored = EXCHANGES.filter((exchange) => exchanges?.split(' ').includes(exchange))
  const query = new URLSearchParams({ client: clientId })
  const links = [
    ...stored.map((exchange) => ({
      text: EXCHANGE_NAMES[exchange],
      name: texts.of.keys(EXCHANGE_NAMES[exchange], clientId),
      href: `/api-key-management?${query}&exchange=${exchange}`,
    })),
    { text: texts.logs, name: texts.of.logs(clientId), href: `/logs?${query}` },
    { text: texts.limits, name: texts.of.limits(clientId), href: `/client-credentials/${id}` },
  ]
  return (
    <>
      {exchanges !== undefined && <span>{stored.length === 0 ? texts.noKeys : texts.keys}</span>}
      {links.map(({ text, name, href }) => (
        <Anchor key={text} component={Link} fz="inherit" href={href} aria-label={name}>
          {text}
        </Anchor>
      ))}
    </>
  )
}

/** The limit of which most is used, quietly while there is room. */
function NearestLimit({ limit, percent }: NonNullable<ListedClient['nearestLimit']>) {
  const state = nearness(percent)
  const { near, reached } = pageTexts.usage
  return (
    <span className={classes.nearest} data-state={state}>
      {state !== 'free' && <Icon name={state === 'near' ? 'alert' : 'ban'} size={14} />}
      {`${limitNames[limit]} ${percent} %`}
      {state !== 'free' && `, ${(state === 'near' ? near : reached).toLowerCase()}`}
    </span>
  )
}
