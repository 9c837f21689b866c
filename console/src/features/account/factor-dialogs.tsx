import { Button, Group, Loader, Text, TextInput } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { confirmTotp, type createTotp, getAccount, type ResponseOf } from 'schema'
import { ApiError } from '../../api/api-error.ts'
import { reportFailure } from '../../api/failures.tsx'
import { useAction } from '../../api/use-action.ts'
import { CodeBlock } from '../../components/code-block.tsx'
import { CopyField } from '../../components/copy.tsx'
import { FormDialog, OnceDialog } from '../../components/dialogs.tsx'
import { downloadText } from '../../components/files.ts'
import { Icon } from '../../components/icons.tsx'
import * as texts from './texts.ts'

const QrCode = lazy(() => import('./qr-code.tsx'))

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

interface TotpDialogProps {
  readonly started: ResponseOf<typeof createTotp>
  readonly onEnrolled: (enrolled: ResponseOf<typeof confirmTotp>) => void
  readonly onClose: () => void
}

/** Hands the secret to an app, and takes the first code of it. */
export function TotpDialog({ started, onEnrolled, onClose }: TotpDialogProps) {
  const { trigger, isPending } = useAction(confirmTotp, { readAgain: [getAccount] })
  const [code, setCode] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const submit = async () => {
    const digits = code.replace(/\s/g, '')
    if (!/^\d{6}$/.test(digits)) return setProblem(texts.totpDigits)
    setProblem(null)
    try {
      onEnrolled(await trigger({ params: { id: started.id }, body: { code: digits } }))
    } catch (error) {
      const isWrong = error instanceof ApiError && error.problem.code === 'CONFIRM_FAILED'
      if (isWrong) setProblem(error.serverMessage ?? error.message)
      else reportFailure(error)
    }
  }
  return (
    <FormDialog
      title={texts.totpTitle}
      label={texts.totpConfirm}
      pendingLabel={texts.saving}
      cancelLabel={texts.cancel}
      isPending={isPending}
      closeOnClickOutside={false}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Text fz="sm">{texts.totpText}</Text>
      <Suspense fallback={<Loader mx="auto" />}>
        <QrCode text={started.uri} label={texts.totpQr} />
      </Suspense>
      <CopyField label={texts.totpSecret} value={started.secret} />
      <TextInput
        label={texts.totpCode}
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={10}
        data-autofocus
        value={code}
        error={problem}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
    </FormDialog>
  )
}

interface RecoveryCodesDialogProps {
  readonly codes: readonly string[]
  readonly onDone: () => void
}

/** The one time that recovery codes are readable. */
export function RecoveryCodesDialog({ codes, onDone }: RecoveryCodesDialogProps) {
  const text = codes.join('\n')
  return (
    <OnceDialog
      title={texts.recovery}
      text={texts.recoveryOnce}
      storedLabel={texts.recoveryStored}
      doneLabel={texts.done}
      onDone={onDone}
    >
      <CodeBlock title={texts.recovery} code={text} language="plain" label={texts.recovery} />
      <Group>
        <Button
          variant="default"
          size="xs"
          leftSection={<Icon name="download" size={14} />}
          onClick={() => downloadText(texts.recoveryFile, `${text}\n`)}
        >
          {texts.recoveryDownload}
        </Button>
      </Group>
    </OnceDialog>
  )
}
