import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { FormDialog } from '../../components/form-dialog.tsx'
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
  const { onSubmit, name: given, ...rest } = props
  const [name, setName] = useState(given)
  const [problem, setProblem] = useState<string | null>(null)
  const submit = () => {
    const isEmpty = name.trim() === ''
    setProblem(isEmpty ? texts.nameProblem : null)
    if (!isEmpty) onSubmit(name.trim())
  }
  return (
    <FormDialog {...rest} cancelLabel={texts.cancel} onSubmit={submit}>
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
    </FormDialog>
  )
}
