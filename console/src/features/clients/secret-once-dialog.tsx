import { Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useState } from 'react'
import { getToken } from 'schema'
import { gatewayUrl } from '../../api/gateway-url.ts'
import { RequestSample } from '../../api/request-sample.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { clearClipboard } from '../../components/copy-text.ts'
import { downloadText } from '../../components/download-text.ts'
import { Icon } from '../../components/icons.tsx'
import { shellVariable } from '../../components/shell-quote.ts'
import { toast } from '../../components/toast.tsx'
import { useCopy } from '../../components/use-copy.ts'
import { useFocusReturn } from '../../components/use-focus-return.ts'
import { useStayOnPage } from '../../components/use-stay-on-page.ts'
import type { NewSecret } from './create-client-form.tsx'
import { envLines } from './env-file.ts'
import { SecretField } from './secret-field.tsx'
import * as texts from './texts.ts'

interface SecretOnceDialogProps {
  readonly created: NewSecret
  readonly onDone: () => void
}

/**
 * The one time a secret is readable. Only its own button closes it, and that only after the secret
 * was taken along.
 */
export function SecretOnceDialog({ created, onDone }: SecretOnceDialogProps) {
  const [isTaken, setTaken] = useState(false)
  const env = envLines(gatewayUrl(), created)
  const { copy, isCopied } = useCopy(texts.once.envLabel)
  const { clientId, clientSecret } = created
  const take = () => setTaken(true)
  const [isCopiedNow, setCopiedNow] = useState(false)
  const takeCopy = () => {
    take()
    setCopiedNow(true)
  }
  const isWide = useMediaQuery('(min-width: 62em)', true, { getInitialValueInEffect: false })
  useFocusReturn()
  const { leaveFor } = useStayOnPage()

  return (
    <Modal
      opened
      onClose={onDone}
      title={texts.once.title}
      size="lg"
      centered={isWide}
      // A toast is above it on a narrow screen, and must not cover the secret.
      yOffset={isWide ? undefined : 116}
      closeOnEscape={false}
      closeOnClickOutside={false}
      withCloseButton={false}
    >
      <Stack>
        <Text fz="sm">{texts.once.text}</Text>
        <TextInput
          label={texts.clientId}
          size="xs"
          readOnly
          value={clientId}
          rightSection={<CopyButton value={clientId} label={texts.clientId} />}
        />
        <SecretField clientId={clientId} secret={clientSecret} preview="" onCopied={takeCopy} />
        <Group gap="xs">
          <Button
            variant="default"
            size="xs"
            leftSection={<Icon name={isCopied ? 'check' : 'copy'} size={14} />}
            onClick={async () => (await copy(env)) && takeCopy()}
          >
            {texts.once.env}
          </Button>
          <Button
            variant="default"
            size="xs"
            leftSection={<Icon name="download" size={14} />}
            onClick={() => {
              downloadText(`${clientId}.env`, env)
              take()
            }}
          >
            {texts.once.download}
          </Button>
          {isCopiedNow && <ClearClipboard onCleared={() => setCopiedNow(false)} />}
        </Group>
        {/* The secret comes from the environment, so that neither the screen nor the shell's history keeps it. */}
        <RequestSample
          title={texts.once.curl}
          endpoint={getToken}
          input={{ body: { clientId, clientSecret: shellVariable('SLUICE_CLIENT_SECRET') } }}
        />
        <Group justify="space-between">
          <Checkbox
            label={texts.once.stored}
            checked={isTaken}
            onChange={(event) => setTaken(event.currentTarget.checked)}
          />
          <Group gap="sm">
            <Button
              variant="default"
              disabled={!isTaken}
              onClick={() => {
                leaveFor('/connect')
                onDone()
              }}
            >
              {texts.once.connect}
            </Button>
            <Button onClick={onDone} disabled={!isTaken}>
              {texts.once.done}
            </Button>
          </Group>
        </Group>
      </Stack>
    </Modal>
  )
}

function ClearClipboard({ onCleared }: { readonly onCleared: () => void }) {
  const clear = async () => {
    const isCleared = await clearClipboard()
    if (isCleared) onCleared()
    toast({
      ...(isCleared ? texts.once.cleared : texts.once.notCleared),
      tone: isCleared ? 'success' : 'failure',
    })
  }
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<Icon name="close" size={14} />}
      onClick={() => void clear()}
    >
      {texts.once.clear}
    </Button>
  )
}
