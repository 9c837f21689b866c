import {
  Anchor,
  Badge,
  Button,
  type ButtonProps,
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
import { attempt } from '../../api/failures.tsx'
import { NoMatch, ReadAgain } from '../../api/list-tools.tsx'
import { mayCall, RoleOnly, useRole } from '../../api/role.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { formatDateTime, formatRoughly } from '../../components/format.ts'
import { Icon } from '../../components/icons.tsx'
import { EmptyNote, Quiet } from '../../components/page.tsx'
import { clearFilters } from '../../components/page-texts.ts'
import { useGrowingList } from '../../components/rows-table.tsx'
import { ShortText } from '../../components/short-text.tsx'
import { toast } from '../../components/toast.tsx'
import { useActions } from '../../components/use-actions.ts'
import { filterClients, useClientFilter } from './client-filter.ts'
import * as pageTexts from './client-page-texts.ts'
import { previewOf, SecretField } from './client-secret.tsx'
import classes from './clients.module.css'
import { PermissionTags } from './permissions.tsx'
import * as texts from './texts.ts'
import { type ClientRecord, type Clients, nearness, STATE_COLOURS } from './use-clients.ts'

/** What can be done with a client of the list; the same at each render. */
export interface RowActs {
  readonly toggle: Clients['toggle']
  readonly onToggled: (client: ClientRecord) => void
  readonly onEdit: (client: ClientRecord) => void
  readonly onDelete: (client: ClientRecord) => void
}

interface ClientListProps {
  readonly clients: Clients
  readonly rows: readonly ClientRecord[]
  /** Where each client has keys, apart by a blank; undefined while that is not known. */
  readonly exchanges: ReadonlyMap<string, string> | undefined
  /** When clients were last seen, as far as that is known. */
  readonly seenAt: ReadonlyMap<number, string>
  /** Secrets of this visit by client id: only their rows can reveal and copy. */
  readonly freshSecrets: ReadonlyMap<string, string>
  readonly acts: RowActs
}

export function ClientList(props: ClientListProps) {
  const { clients, rows, exchanges, seenAt, freshSecrets, acts } = props
  const state = useClientFilter()
  const matching = filterClients(rows, state.filter)
  const { visible, end } = useGrowingList(matching)
  const titleId = useId()
  const role = useRole()
  useActions(() => [
    { label: clearFilters, does: texts.does.clear, run: state.clear, when: state.isNarrowed },
    ...rows.flatMap((client) =>
      Object.values(rowActs(client, acts)).map(({ endpoint, label, does, run }) => ({
        ...{ label, does, run, isOfRow: true, when: mayCall(role, endpoint) },
      })),
    ),
  ])
  return (
    <Paper component="section" aria-labelledby={titleId} withBorder px="lg" py="xs">
      <div className={classes.head}>
        <Title order={2} fz="md" id={titleId}>
          {texts.listTitle(rows.length)}
        </Title>
        {rows.length > 0 && <Filters state={state} />}
        <ReadAgain query={clients} />
      </div>
      {rows.length === 0 && (
        <EmptyNote icon="users" title={texts.empty.title} hint={texts.empty.hint} />
      )}
      {state.isNarrowed && rows.length > 0 && (
        <Quiet role="status" mb="sm">
          {texts.filter.showing(matching.length, rows.length)}
        </Quiet>
      )}
      {rows.length > 0 && matching.length === 0 && (
        <NoMatch title={texts.filter.noMatch} onClear={state.clear} />
      )}
      <ul className={classes.list}>
        {visible.map((client) => (
          <ClientRow
            key={client.id}
            client={client}
            exchanges={exchanges && (exchanges.get(client.clientId) ?? '')}
            seenAt={seenAt.get(client.id)}
            freshSecret={freshSecrets.get(client.clientId)}
            acts={acts}
          />
        ))}
      </ul>
      <div ref={end} />
    </Paper>
  )
}

/** What can be done with a client, for its row and the palette. */
function rowActs(client: ClientRecord, acts: RowActs) {
  const { clientId, isActive } = client
  const { does, of } = texts
  const act = (endpoint: Endpoint, label: string, what: string, run: () => void) => ({
    ...{ endpoint, label, does: what, run },
  })
  return {
    turn: act(toggleClient, of.turn(clientId, !isActive), does.turn(!isActive), () => {
      void turn(client, !isActive, acts)
    }),
    edit: act(updateClient, of.edit(clientId), does.edit, () => acts.onEdit(client)),
    remove: act(deleteClient, of.remove(clientId), does.remove, () => acts.onDelete(client)),
  }
}

/** Search, state and order of the list. */
function Filters({ state }: { readonly state: ReturnType<typeof useClientFilter> }) {
  const { filter, sortText, setSearch, setState, setSort } = state
  const { searchLabel, search, stateLabel, states, sortLabel, sorts } = texts.filter
  const choices = [
    [stateLabel, states, filter.state, setState],
    [sortLabel, sorts, sortText, setSort],
  ] as const
  return (
    <div className={classes.filters}>
      <TextInput
        type="search"
        size="xs"
        aria-label={searchLabel}
        placeholder={search}
        leftSection={<Icon name="search" size={14} />}
        value={filter.search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      {choices.map(([label, data, value, choose]) => (
        <NativeSelect
          key={label}
          size="xs"
          aria-label={label}
          data={[...data]}
          value={value}
          onChange={(event) => choose(event.currentTarget.value)}
        />
      ))}
    </div>
  )
}

interface ClientRowProps {
  readonly client: ClientRecord
  /** Where it has keys, apart by a blank; undefined while that is not known. */
  readonly exchanges: string | undefined
  readonly seenAt: string | undefined
  /** The secret when it was made during this visit. */
  readonly freshSecret: string | undefined
  readonly acts: RowActs
}

/** The id of a row's delete button, where the keyboard goes after a deletion. */
export const deleteButtonId = (id: number | '') => `delete-client-${id}`

/** Two lines. A dialog that opens above a long list draws none of its rows again. */
const ClientRow = memo(function ClientRow(props: ClientRowProps) {
  const { client, exchanges, seenAt, freshSecret, acts } = props
  const { id, clientId, description, isActive, createdAt, state } = client
  const { nearestLimit = null, wouldHaveRefused = null } = client
  const { edit, remove } = rowActs(client, acts)
  return (
    <li className={classes.row}>
      <div className={classes.line}>
        <ActiveSwitch client={client} acts={acts} />
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
          <RowButton act={edit} variant="default">
            {texts.row.edit}
          </RowButton>
          <RowButton act={remove} id={deleteButtonId(id)} color="red" variant="light">
            {texts.row.remove}
          </RowButton>
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

interface RowButtonProps extends ButtonProps {
  readonly act: ReturnType<typeof rowActs>['edit']
  readonly id?: string
  readonly children: string
}

function RowButton({ act: { endpoint, label, run }, ...look }: RowButtonProps) {
  return (
    <RoleOnly endpoint={endpoint}>
      <Button size="compact-xs" aria-label={label} onClick={run} {...look} />
    </RoleOnly>
  )
}

/** The id of a row's switch, where the keyboard goes back to. */
export const switchId = (id: number) => `switch-client-${id}`

/**
 * Shows the wished state at once, is disabled until the response, and falls back when the server
 * refuses.
 */
function ActiveSwitch({ client, acts }: Pick<ClientRowProps, 'client' | 'acts'>) {
  const { id, clientId, isActive } = client
  const [isPending, setPending] = useState(false)
  const press = async () => {
    setPending(true)
    await turn(client, !isActive, acts)
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
async function turn(client: ClientRecord, isOn: boolean, acts: RowActs): Promise<void> {
  const { id, clientId } = client
  const { title, text, off, undo, undoOf, failed } = texts.toggled
  const act = async () => {
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
  }
  await attempt(act, { fallback: failed })
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
  return (
    <span className={classes.nearest} data-state={state}>
      {state !== 'free' && <Icon name={state === 'near' ? 'alert' : 'ban'} size={14} />}
      {`${limitNames[limit]} ${percent} %`}
      {state !== 'free' && `, ${pageTexts.usage[state].toLowerCase()}`}
    </span>
  )
}
