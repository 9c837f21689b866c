import { Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { listPeople, type Person } from 'schema'
import { WaitsForApprovalError } from '../../api/api-error.ts'
import { QueryView } from '../../api/query-view.tsx'
import { reportFailure } from '../../api/report-failure.tsx'
import { useRefusal } from '../../api/role.ts'
import { useSession } from '../../api/session.ts'
import { useQuery } from '../../api/use-query.ts'
import { Card } from '../../components/card.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { CopyField } from '../../components/copy-field.tsx'
import { EmptyNote } from '../../components/empty-note.tsx'
import { HeaderButton } from '../../components/header-button.tsx'
import { OnceDialog } from '../../components/once-dialog.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { toast } from '../../components/toast.tsx'
import { PersonFormDialog } from './person-form-dialog.tsx'
import { type PersonAction, PersonRow } from './person-row.tsx'
import * as texts from './texts.ts'
import { usePeople } from './use-people.ts'

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

type Asked =
  | { readonly what: 'add' }
  | { readonly what: 'role'; readonly person: Person }
  | { readonly what: PersonAction; readonly person: Person }
  | { readonly what: 'shown'; readonly email: string; readonly password: string }
  | null

function People() {
  const query = useQuery(listPeople)
  const ownEmail = useSession(({ session }) => session?.user.email)
  const [asked, setAsked] = useState<Asked>(null)
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <HeaderButton icon="plus" onClick={() => setAsked({ what: 'add' })}>
            {texts.add}
          </HeaderButton>
        }
      />
      <QueryView query={query} what={texts.what}>
        {(people) => (
          <Card title={texts.list(people.length)}>
            <Stack component="ul" gap="xl" m={0} p={0} style={{ listStyle: 'none' }}>
              {people.map((person) => (
                <PersonRow
                  key={person.id}
                  person={person}
                  isOwn={person.email === ownEmail}
                  onChangeRole={() => setAsked({ what: 'role', person })}
                  onAsk={(what) => setAsked({ what, person })}
                />
              ))}
            </Stack>
          </Card>
        )}
      </QueryView>
      {asked !== null && <PeopleDialog asked={asked} setAsked={setAsked} />}
    </>
  )
}

interface PeopleDialogProps {
  readonly asked: NonNullable<Asked>
  readonly setAsked: (asked: Asked) => void
}

/** The dialog of what is asked. */
function PeopleDialog({ asked, setAsked }: PeopleDialogProps) {
  const { isPending, create, change, resetPassword, endSessions } = usePeople()
  const close = () => setAsked(null)
  const showPassword = (email: string, password: string | null) =>
    setAsked(password === null ? null : { what: 'shown', email, password })
  const attempt = async (run: () => Promise<void>) => {
    try {
      await run()
    } catch (error) {
      reportFailure(error)
      if (error instanceof WaitsForApprovalError) close()
    }
  }
  const report = ({ email }: Person, endedSessions: number) => {
    toast({ title: texts.changed, message: texts.changedText(email, endedSessions) })
    close()
  }
  const carryOut = async (what: PersonAction, person: Person) => {
    if (what === 'password') {
      const { password } = await resetPassword(person)
      showPassword(person.email, password)
    } else if (what === 'endSessions') report(person, (await endSessions(person)).endedSessions)
    else report(person, (await change(person, CHANGES[what])).endedSessions)
  }
  if (asked.what === 'shown')
    return (
      <OnceDialog
        title={texts.passwordTitle(asked.email)}
        text={texts.passwordText}
        storedLabel={texts.passwordStored}
        doneLabel={texts.done}
        onDone={close}
      >
        <CopyField label={texts.password} value={asked.password} />
      </OnceDialog>
    )
  if (asked.what === 'add' || asked.what === 'role') {
    const person = asked.what === 'role' ? asked.person : null
    return (
      <PersonFormDialog
        person={person}
        isPending={isPending}
        onClose={close}
        onSubmit={({ email, role }) =>
          void attempt(async () => {
            if (person !== null)
              return report(person, (await change(person, { role })).endedSessions)
            const { password } = await create({ email, role })
            toast({ title: texts.addDone, message: texts.addDoneText(email) })
            showPassword(email, password)
          })
        }
      />
    )
  }
  const { what, person } = asked
  const { label, text } = texts.actions[what]
  return (
    <ConfirmDialog
      title={texts.question(label, person.email)}
      confirmLabel={label}
      isPending={isPending}
      isHarmless={what === 'enable'}
      onConfirm={() => void attempt(() => carryOut(what, person))}
      onCancel={close}
    >
      <Text fz="sm">{text}</Text>
    </ConfirmDialog>
  )
}

const CHANGES = {
  disable: { isDisabled: true },
  enable: { isDisabled: false },
  withoutFactor: { withoutSecondFactor: true },
} as const
