import { Button, Modal, Stack, Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { type ConfirmRequest, confirm, confirmPasskey, type Factor } from 'schema'
import { useFocusReturn } from '../components/use-focus-return.ts'
import { call, SESSION_ENDED } from './client.ts'
import { FactorForm, OWN_ESCAPE } from './factor-form.tsx'
import * as texts from './factor-texts.ts'

const OpenIdFactor = lazy(() => import('./openid-factor.tsx'))

interface FreshFactorDialogProps {
  readonly factors: readonly Factor[]
  readonly answer: (isConfirmed: boolean) => void
}

/** Asks for a factor before the gateway does what needs one. */
export default function FreshFactorDialog({ factors, answer }: FreshFactorDialogProps) {
  useFocusReturn()
  const cancel = () => answer(false)
  const own = factors.filter((factor) => factor !== 'openid')
  const show = async (body: ConfirmRequest) => {
    const response = await call(confirm, { body })
    if (response !== SESSION_ENDED) answer(true)
  }
  const passkeyOptions = async () => {
    const options = await call(confirmPasskey, {})
    // The page is about to load anew.
    return options === SESSION_ENDED ? new Promise<never>(() => {}) : options
  }
  return (
    <Modal
      opened
      onClose={cancel}
      title={texts.freshTitle}
      centered
      closeOnClickOutside={false}
      // Above the dialog that it interrupts.
      zIndex={300}
      attributes={{ header: { role: 'presentation' }, content: OWN_ESCAPE, close: OWN_ESCAPE }}
      closeOnEscape={false}
      onKeyDown={(event) => {
        if (event.key === 'Escape') cancel()
      }}
    >
      <Stack>
        <Text fz="sm">{texts.freshText}</Text>
        {factors.includes('openid') && (
          <Suspense fallback={null}>
            <OpenIdFactor isOnly={own.length === 0} show={show} />
          </Suspense>
        )}
        <FactorForm
          factors={own}
          label={texts.confirm}
          pendingLabel={texts.confirming}
          passkeyOptions={passkeyOptions}
          show={show}
        >
          <Button variant="default" onClick={cancel} {...OWN_ESCAPE}>
            {texts.cancel}
          </Button>
        </FactorForm>
      </Stack>
    </Modal>
  )
}
