import { Input, SegmentedControl, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { NewPerson, type Person, ROLES, type Role } from 'schema'
import { validateWith } from '../../api/form-errors.ts'
import { FormDialog } from '../../components/dialogs.tsx'
import * as texts from './texts.ts'

export interface PersonForm {
  readonly email: string
  readonly role: Role
}

interface PersonFormDialogProps {
  /** Whose role changes; null: a new person. */
  readonly person: Person | null
  readonly isPending: boolean
  readonly onSubmit: (values: PersonForm) => void
  readonly onClose: () => void
}

const problemsOf = validateWith(NewPerson)

/** Adds a person, or changes the role of one. */
export function PersonFormDialog({ person, isPending, onSubmit, onClose }: PersonFormDialogProps) {
  const [email, setEmail] = useState(person?.email ?? '')
  const [role, setRole] = useState<Role>(person?.role ?? 'viewer')
  const [problem, setProblem] = useState<string | undefined>()
  const submit = () => {
    const { email: found } = problemsOf({ email, role })
    setProblem(found)
    if (found === undefined) onSubmit({ email, role })
  }
  const isNew = person === null
  return (
    <FormDialog
      title={isNew ? texts.addTitle : texts.changeRoleOf(person.email)}
      label={isNew ? texts.addSubmit : texts.save}
      pendingLabel={texts.saving}
      cancelLabel={texts.cancel}
      isPending={isPending}
      isUnchanged={role === person?.role}
      onSubmit={submit}
      onClose={onClose}
    >
      {isNew && (
        <TextInput
          label={texts.email}
          type="email"
          autoComplete="off"
          data-autofocus
          value={email}
          error={problem}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
      )}
      <Input.Wrapper label={texts.role} labelElement="div">
        <SegmentedControl
          fullWidth
          aria-label={texts.role}
          data={ROLES.map((value) => ({ value, label: texts.roles[value] }))}
          value={role}
          onChange={setRole}
        />
        <Text fz="sm" c="dimmed" mt={6} role="status">
          {texts.roleHints[role]}
        </Text>
      </Input.Wrapper>
      <Text fz="sm">{isNew ? texts.addHint : texts.changeRoleHint}</Text>
    </FormDialog>
  )
}
