import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useFocusReturn } from '../../components/use-focus-return.ts'
import * as texts from './texts.ts'

interface NameDialogProps {
  readonly title: string
  readonly name: string
  readonly label: string
  readonly pendingLabel: string
  readonly isPending: boolean
  readonly onSubmit: (name: string) => void
  readonly onClose: () => void
}

/** Asks what a second factor is called. */
export function NameDialog(props: NameDialogProps) {
  const { title, label, pendingLabel, isPending, onSubmit, onClose } = props
  const [name, setName] = useState(props.name)
  const [problem, setProblem] = useState<string | null>(null)
  useFocusReturn()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const isEmpty = name.trim() === ''
    setProblem(isEmpty ? texts.nameProblem : null)
    if (!isEmpty) onSubmit(name.trim())
  }
  return (
    <Modal opened onClose={onClose} title={title} centered>
      <form onSubmit={submit} noValidate>
        <Stack>
          <TextInput
            label={texts.nameLabel}
            description={texts.nameHint}
            autoComplete="off"
            maxLength={60}
            data-autofocus
            value={name}
            error={problem}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              {texts.cancel}
            </Button>
            <Button type="submit" disabled={isPending}>
              {isPending ? pendingLabel : label}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
