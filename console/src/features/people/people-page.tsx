import { Group } from '@mantine/core'
import { useState } from 'react'
import {
  changePerson,
  createPerson,
  endSessionsOfPerson,
  listPeople,
  type Person,
  resetPassword,
} from 'schema'
import { WaitsForApprovalError } from '../../api/api-error.ts'
import { reportFailure } from '../../api/failures.tsx'
import { QueryView } from '../../api/queries.tsx'
import { useRefusal } from '../../api/role.tsx'
import { useSession } from '../../api/session.ts'
import { useResource } from '../../api/use-action.ts'
import { confirm } from '../../components/confirm.tsx'
import { PasswordOnce } from '../../components/dialogs.tsx'
import { formatDateTime } from '../../components/format.ts'
import { Card, EmptyNote, HeaderButton, PageHeader } from '../../components/page.tsx'
import { RowMenu } from '../../components/row-menu.tsx'
import { type Column, RowsTable } from '../../components/rows-table.tsx'
import { Tag } from '../../components/signs.tsx'
import { toast } from '../../components/toast.tsx'
import { useActions } from '../../components/use-actions.ts'
import { type PersonForm, PersonFormDialog } from './person-form-dialog.tsx'
import * as texts from './texts.ts'

/** Who may sign in. */
export default function PeoplePage() {
  const refusal = useRefusal(listPeople)
  if (refusal === undefined) return <People />
  return (
    <>
      <PageHeader title={texts.title} description={refusal} />
      <EmptyNote icon="shield" title={texts.notAdmin} hint={texts.notAdminHint} />
    </>
  )
}

/** What is open: the form, of a person or of a new one, or a password that is readable once. */
type Open =
  | { readonly form: Person | 'new' }
  | { readonly email: string; readonly password: string }
  | null

/** What an admin can do with a person, after a question. */
type PersonAct = keyof typeof texts.acts

const ACTS = {
  create: { endpoint: createPerson },
  change: { endpoint: changePerson },
  reset: { endpoint: resetPassword },
  endSessions: { endpoint: endSessionsOfPerson },
} as const

/** The list, what changes it, and what is open. */
function usePeople() {
  const people = useResource(listPeople, ACTS)
  const [open, setOpen] = useState<Open>(null)
  const close = () => setOpen(null)
  const report = ({ email }: Person, { endedSessions }: { readonly endedSessions: number }) =>
    toast({ title: texts.changed, message: texts.changedText(email, endedSessions) })

  const carryOut = async (act: PersonAct, person: Person) => {
    const params = { id: person.id }
    if (act === 'password') {
      const { password } = await people.reset({ params })
      setOpen({ email: person.email, password })
    } else if (act === 'endSessions') report(person, await people.endSessions({ params }))
    else report(person, await people.change({ params, body: CHANGES[act] }))
  }
  const submit = async (of: Person | 'new', { email, role }: PersonForm) => {
    try {
      if (of !== 'new') {
        report(of, await people.change({ params: { id: of.id }, body: { role } }))
        return close()
      }
      const { password } = await people.create({ body: { email, role } })
      toast({ title: texts.addDone, message: texts.addDoneText(email) })
      setOpen(password === null ? null : { email, password })
    } catch (error) {
      reportFailure(error)
      if (error instanceof WaitsForApprovalError) close()
    }
  }
  return { people, open, setOpen, carryOut, submit }
}

function People() {
  const { people, open, setOpen, carryOut, submit } = usePeople()
  const ownEmail = useSession(({ session }) => session?.user.email)
  const close = () => setOpen(null)
  const ask = (act: PersonAct, person: Person) => {
    const { label, text } = texts.acts[act]
    void confirm({
      ...{ title: texts.question(label, person.email), text, label },
      isHarmless: act === 'enable',
      act: () => carryOut(act, person),
    })
  }
  const actsOf = (person: Person) => [
    ...(isOfProvider(person)
      ? []
      : [
          {
            ...{ label: texts.changeRole, does: texts.does.role },
            onAct: () => setOpen({ form: person }),
          },
        ]),
    ...possibleActs(person).map((act) => ({
      label: texts.acts[act].label,
      does: texts.does.asks(texts.acts[act].text),
      isDangerous: act === 'disable',
      onAct: () => ask(act, person),
    })),
  ]
  useActions(() =>
    (people.data ?? []).flatMap((person) =>
      actsOf(person).map(({ label, does, onAct }) => ({
        ...{ label: texts.ofPerson(label, person.email), does, run: onAct, isOfRow: true },
      })),
    ),
  )
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <HeaderButton icon="plus" onClick={() => setOpen({ form: 'new' })} does={texts.does.add}>
            {texts.add}
          </HeaderButton>
        }
      />
      <QueryView query={people} what={texts.what}>
        {(list) => (
          <Card title={texts.list(list.length)}>
            <RowsTable
              label={texts.title}
              columns={[
                ...columnsOf(ownEmail),
                {
                  key: 'acts',
                  head: texts.columns.acts,
                  isActions: true,
                  cell: (person) => (
                    <RowMenu label={texts.actsOf(person.email)} acts={actsOf(person)} />
                  ),
                },
              ]}
              rows={list}
              keyOf={({ id }) => id}
            />
          </Card>
        )}
      </QueryView>
      {open !== null && 'form' in open && (
        <PersonFormDialog
          person={open.form === 'new' ? null : open.form}
          isPending={people.isPending}
          onClose={close}
          onSubmit={(values) => void submit(open.form, values)}
        />
      )}
      {open !== null && 'password' in open && <PasswordOnce {...open} onDone={close} />}
    </>
  )
}

const CHANGES = {
  disable: { isDisabled: true },
  enable: { isDisabled: false },
  withoutFactor: { withoutSecondFactor: true },
} as const

const isOfProvider = ({ provider }: Person) => typeof provider === 'string'

function possibleActs(person: Person): readonly PersonAct[] {
  return [
    ...(isOfProvider(person) && person.hasPassword === false ? [] : (['password'] as const)),
    ...(person.factors.length > 0 ? (['withoutFactor'] as const) : []),
    ...(person.sessions > 0 ? (['endSessions'] as const) : []),
    person.isDisabled ? 'enable' : 'disable',
  ]
}

const columnsOf = (ownEmail: string | undefined): readonly Column<Person>[] => [
  {
    key: 'email',
    head: texts.columns.email,
    isRowHeader: true,
    card: 'line',
    cell: ({ email, isDisabled }) => (
      <Group gap="xs" fw={600} component="span">
        {email}
        {email === ownEmail && <Tag colour="blue">{texts.you}</Tag>}
        {isDisabled && <Tag colour="red">{texts.disabled}</Tag>}
      </Group>
    ),
  },
  {
    key: 'role',
    head: texts.columns.role,
    width: '84px',
    cell: ({ role, provider }) =>
      typeof provider === 'string'
        ? texts.roleFrom(texts.roles[role], provider)
        : texts.roles[role],
  },
  {
    key: 'factors',
    head: texts.columns.factors,
    cell: ({ factors, provider }) =>
      factors.map((kind) => texts.kinds[kind]).join(', ') ||
      (typeof provider === 'string' ? texts.factorsOfProvider : texts.noFactor),
  },
  {
    key: 'session',
    head: texts.columns.session,
    cell: ({ sessions, lastUsedAt }) =>
      lastUsedAt === null
        ? texts.notSignedIn
        : texts.lastUsed(formatDateTime(lastUsedAt), sessions),
  },
  {
    key: 'signIn',
    head: texts.columns.signIn,
    cell: ({ lastSignInAt }) =>
      lastSignInAt === null ? texts.never : formatDateTime(lastSignInAt),
  },
  {
    key: 'created',
    head: texts.columns.created,
    cell: ({ createdAt }) => formatDateTime(createdAt),
  },
]
