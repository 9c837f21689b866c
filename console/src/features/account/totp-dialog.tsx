import { Loader, Text, TextInput } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { confirmTotp, type createTotp, getAccount, type ResponseOf } from 'schema'
import { ApiError } from '../../api/api-error.ts'
import { reportFailure } from '../../api/report-failure.tsx'
import { useAction } from '../../api/use-action.ts'
import { CopyField } from '../../components/copy-field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import * as texts from './texts.ts'

const QrCode = lazy(() => import('./qr-code.tsx'))

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
