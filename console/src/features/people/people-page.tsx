import { Group, Input, SegmentedControl, Text } from '@mantine/core'
import { useState } from 'react'
import {
  changePerson,
  createPerson,
  endSessionsOfPerson,
  listPeople,
  NewPerson,
  type Person,
  ROLES,
  type Role,
  resetPassword,
} from 'schema'
import { WaitsForApprovalError } from '../../api/api-error.ts'
import { reportFailure } from '../../api/failures.tsx'
import { validateWith } from '../../api/form-errors.ts'
import { QueryView } from '../../api/queries.tsx'
import { ActionButton, RolePage } from '../../api/role.tsx'
import { useSession } from '../../api/session.ts'
import { useResource } from '../../api/use-action.ts'
import { confirm } from '../../components/confirm.tsx'
import { FormDialog, showDialog, showPassword } from '../../components/dialogs.tsx'
import { formatDateTime } from '../../components/format.ts'
import { MenuButton } from '../../components/menu-button.tsx'
import { Card, PageHeader, Quiet } from '../../components/page.tsx'
import { columnsFrom, RowsTable } from '../../components/rows-table.tsx'
import { Tag } from '../../components/signs.tsx'
import { toast } from '../../components/toast.tsx'
import { useActions } from '../../components/use-actions.ts'
import * as texts from './texts.ts'

/** Who may sign in. */
export default function PeoplePage() {
  return (
    <RolePage endpoint={listPeople} title={texts.title}>
      <People />
    </RolePage>
  )
}

function People() {
  const { people, actsOf, showForm } = usePeople()
  const ownEmail = useSession(({ session }) => session?.user.email)
  const columns = columnsFrom<Person>(texts.columns, {
    email: {
      ...{ isRowHeader: true, card: 'line' },
      cell: ({ email, isDisabled }) => (
        <Group gap="xs" fw={600} component="span">
          {email}
          {email === ownEmail && <Tag colour="blue">{texts.you}</Tag>}
          {isDisabled && <Tag colour="red">{texts.disabled}</Tag>}
        </Group>
      ),
    },
    role: {
      width: '84px',
      cell: ({ role, provider }) =>
        typeof provider === 'string'
          ? texts.roleFrom(texts.roles[role], provider)
          : texts.roles[role],
    },
    factors: ({ factors, provider }) =>
      factors.map((kind) => texts.kinds[kind]).join(', ') ||
      (typeof provider === 'string' ? texts.factorsOfProvider : texts.noFactor),
    session: ({ sessions, lastUsedAt }) =>
      lastUsedAt === null
        ? texts.notSignedIn
        : texts.lastUsed(formatDateTime(lastUsedAt), sessions),
    signIn: ({ lastSignInAt }) =>
      lastSignInAt === null ? texts.never : formatDateTime(lastSignInAt),
    created: ({ createdAt }) => formatDateTime(createdAt),
    acts: {
      isActions: true,
      cell: (person) => (
        <MenuButton label={texts.actsOf(person.email)} acts={() => actsOf(person)} />
      ),
    },
  })
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <ActionButton
            icon="plus"
            run={() => showForm(null)}
            does={texts.does.add}
            label={texts.add}
          />
        }
      />
      <QueryView query={people} what={texts.what}>
        {(list) => (
          <Card title={texts.list(list.length)}>
            <RowsTable label={texts.title} columns={columns} rows={list} keyOf={({ id }) => id} />
          </Card>
        )}
      </QueryView>
    </>
  )
}

const isOfProvider = ({ provider }: Person) => typeof provider === 'string'

interface Act {
  readonly name: keyof typeof texts.acts
  readonly isPossible: (person: Person) => boolean
  /** Of an act that changes the account. */
  readonly body?: Parameters<ReturnType<typeof usePeople>['people']['change']>[0]['body']
}

/** What an admin can do with a person, after a question. */
const ACTS: readonly Act[] = [
  {
    name: 'password',
    isPossible: (person) => !isOfProvider(person) || person.hasPassword !== false,
  },
  {
    ...{ name: 'withoutFactor', body: { withoutSecondFactor: true } },
    isPossible: ({ factors }) => factors.length > 0,
  },
  { name: 'endSessions', isPossible: ({ sessions }) => sessions > 0 },
  {
    ...{ name: 'enable', body: { isDisabled: false } },
    isPossible: ({ isDisabled }) => isDisabled,
  },
  {
    ...{ name: 'disable', body: { isDisabled: true } },
    isPossible: ({ isDisabled }) => !isDisabled,
  },
]

/** The list, and what changes it. */
function usePeople() {
  const people = useResource(listPeople, {
    create: { endpoint: createPerson },
    change: { endpoint: changePerson },
    reset: { endpoint: resetPassword },
    endSessions: { endpoint: endSessionsOfPerson },
  })
  const report = ({ email }: Person, { endedSessions }: { readonly endedSessions: number }) =>
    toast({ title: texts.changed, message: texts.changedText(email, endedSessions) })

  const carryOut = async ({ name, body }: Act, person: Person) => {
    const params = { id: person.id }
    if (name === 'password') {
      const { password } = await people.reset({ params })
      showPassword(person.email, password)
    } else if (body === undefined) report(person, await people.endSessions({ params }))
    else report(person, await people.change({ params, body }))
  }
  const ask = (act: Act, person: Person) => {
    const { label, text } = texts.acts[act.name]
    void confirm({
      ...{ title: texts.question(label, person.email), text, label },
      isHarmless: act.name === 'enable',
      act: () => carryOut(act, person),
    })
  }
  const save = async (person: Person | null, email: string, role: Role, close: () => void) => {
    try {
      if (person === null) {
        const { password } = await people.create({ body: { email, role } })
        toast({ title: texts.addDone, message: texts.addDoneText(email) })
        if (password === null) close()
        else showPassword(email, password)
      } else {
        report(person, await people.change({ params: { id: person.id }, body: { role } }))
        close()
      }
    } catch (error) {
      reportFailure(error)
      if (error instanceof WaitsForApprovalError) close()
    }
  }
  const showForm = (person: Person | null) =>
    showDialog((close) => (
      <PersonDialog
        person={person}
        onSave={(email, role) => save(person, email, role, close)}
        onClose={close}
      />
    ))
  const actsOf = (person: Person) => [
    ...(isOfProvider(person)
      ? []
      : [
          {
            ...{ label: texts.changeRole, does: texts.does.role },
            run: () => showForm(person),
          },
        ]),
    ...ACTS.filter(({ isPossible }) => isPossible(person)).map((act) => ({
      label: texts.acts[act.name].label,
      does: texts.does.asks(texts.acts[act.name].text),
      isDangerous: act.name === 'disable',
      run: () => ask(act, person),
    })),
  ]
  useActions(() =>
    (people.data ?? []).flatMap((person) =>
      actsOf(person).map(({ label, does, run }) => ({
        ...{ label: texts.ofPerson(label, person.email), does, run, isOfRow: true },
      })),
    ),
  )
  return { people, actsOf, showForm }
}

interface PersonDialogProps {
  /** Whose role changes; null: a new person. */
  readonly person: Person | null
  readonly onSave: (email: string, role: Role) => Promise<void>
  readonly onClose: () => void
}

const problemsOf = validateWith(NewPerson)

/** Adds a person, or changes the role of one. */
function PersonDialog({ person, onSave, onClose }: PersonDialogProps) {
  const [role, setRole] = useState<Role>(person?.role ?? 'viewer')
  const isNew = person === null
  const field = {
    ...{ label: texts.email, type: 'email' },
    check: (email: string) => problemsOf({ email, role }).email,
  }
  return (
    <FormDialog
      title={isNew ? texts.addTitle : texts.changeRoleOf(person.email)}
      label={isNew ? texts.addSubmit : texts.save}
      isUnchanged={role === person?.role}
      field={isNew ? field : undefined}
      onSubmit={(email) => onSave(email, role)}
      onClose={onClose}
    >
      <Input.Wrapper label={texts.role} labelElement="div">
        <SegmentedControl
          fullWidth
          aria-label={texts.role}
          data={ROLES.map((value) => ({ value, label: texts.roles[value] }))}
          value={role}
          onChange={setRole}
        />
        <Quiet mt={6} role="status">
          {texts.roleHints[role]}
        </Quiet>
      </Input.Wrapper>
      <Text fz="sm">{isNew ? texts.addHint : texts.changeRoleHint}</Text>
    </FormDialog>
  )
}
