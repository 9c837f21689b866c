import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { NewPerson, type Person, type Role } from 'schema'
import { validateWith } from '../../api/form-errors.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { RoleField } from './role-field.tsx'
import * as texts from './texts.ts'

interface PersonFormDialogProps {
  /** Whose role changes; null: a new person. */
  readonly person: Person | null
  readonly isPending: boolean
  readonly onSubmit: (values: { readonly email: string; readonly role: Role }) => void
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
      title={isNew ? texts.addTitle : texts.nameOf(texts.changeRole, person.email)}
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
      <RoleField role={role} onChange={setRole} />
      <Text fz="sm">{isNew ? texts.addHint : texts.changeRoleHint}</Text>
    </FormDialog>
  )
}
