import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { CopyField } from './copy-field.tsx'
import * as texts from './page-texts.ts'
import { useFocusReturn } from './use-focus-return.ts'
import { useStayOnPage } from './use-stay-on-page.ts'

interface OnceDialogProps {
  readonly title: string
  readonly text: string
  /** "I have stored them": without it the dialog does not close. */
  readonly storedLabel: string
  readonly doneLabel: string
  readonly children: ReactNode
  readonly onDone: () => void
}

/** Shows what is readable this one time. Only its own button closes it. */
export function OnceDialog(props: OnceDialogProps) {
  const { title, text, storedLabel, doneLabel, children, onDone } = props
  const [isStored, setStored] = useState(false)
  useFocusReturn()
  useStayOnPage()
  return (
    <Modal
      opened
      onClose={onDone}
      title={title}
      centered
      closeOnEscape={false}
      closeOnClickOutside={false}
      withCloseButton={false}
    >
      <Stack>
        <Text fz="sm">{text}</Text>
        {children}
        <Group justify="space-between">
          <Checkbox
            label={storedLabel}
            checked={isStored}
            onChange={(event) => setStored(event.currentTarget.checked)}
          />
          <Button onClick={onDone} disabled={!isStored}>
            {doneLabel}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

interface PasswordOnceProps {
  readonly email: string
  readonly password: string
  readonly onDone: () => void
}

/** The one time that a generated password is readable. */
export function PasswordOnce({ email, password, onDone }: PasswordOnceProps) {
  return (
    <OnceDialog
      title={texts.passwordTitle(email)}
      text={texts.passwordText}
      storedLabel={texts.passwordStored}
      doneLabel={texts.done}
      onDone={onDone}
    >
      <CopyField label={texts.password} value={password} />
    </OnceDialog>
  )
}
