import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { NewPerson, type Person, type Role } from 'schema'
import { validateWith } from '../../api/form-errors.ts'
import { useFocusReturn } from '../../components/use-focus-return.ts'
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
  useFocusReturn()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const { email: found } = problemsOf({ email, role })
    setProblem(found)
    if (found === undefined) onSubmit({ email, role })
  }
  const label = person === null ? texts.addSubmit : texts.save
  return (
    <Modal
      opened
      onClose={onClose}
      title={person === null ? texts.addTitle : texts.nameOf(texts.changeRole, person.email)}
      centered
    >
      <form onSubmit={submit} noValidate>
        <Stack>
          {person === null && (
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
          <Text fz="sm">{person === null ? texts.addHint : texts.changeRoleHint}</Text>
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              {texts.cancel}
            </Button>
            <Button type="submit" disabled={isPending || role === person?.role}>
              {isPending ? texts.saving : label}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
