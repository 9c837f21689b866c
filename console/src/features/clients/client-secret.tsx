import { ActionIcon, Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useState } from 'react'
import { getToken, SECRET_PREVIEW } from 'schema'
import { gatewayUrl } from '../../api/gateway-url.ts'
import { RequestSample, shellVariable } from '../../api/request-sample.tsx'
import { CopyButton, clearClipboard, useCopy } from '../../components/copy.tsx'
import { useStayOnPage } from '../../components/dialogs.tsx'
import { downloadText } from '../../components/files.ts'
import { useFocusReturn } from '../../components/focus.ts'
import { Icon } from '../../components/icons.tsx'
import { useReveal } from '../../components/secret-input.tsx'
import { DOTS } from '../../components/short-text.tsx'
import { toast } from '../../components/toast.tsx'
import classes from './clients.module.css'
import * as texts from './texts.ts'
import type { ClientRecord, NewSecret } from './use-clients.ts'

const MASK = '••••••••••••••••'

interface SecretFieldProps {
  /** Names the buttons of a row apart. */
  readonly clientId: string
  /** The whole secret; undefined when it is no longer available. */
  readonly secret: string | undefined
  /** Revealed in place of a secret that is no longer available. */
  readonly preview: string
  /** Its name is not shown: a row of a list. */
  readonly isInRow?: boolean
  readonly onCopied?: () => void
}

/**
 * A secret, masked until its eye reveals it. Without the whole of it the preview is revealed and
 * nothing is copied.
 */
export function SecretField(props: SecretFieldProps) {
  const { clientId, secret, preview, isInRow = false, onCopied } = props
  const [isRevealed, setRevealed] = useReveal()
  const isPartial = secret === undefined
  return (
    <TextInput
      label={isInRow ? undefined : texts.secret}
      size="xs"
      readOnly
      value={isRevealed ? (secret ?? preview) : MASK}
      aria-label={texts.of.secret(clientId)}
      description={isRevealed && isPartial ? texts.shownOnce : undefined}
      inputWrapperOrder={['label', 'input', 'description']}
      classNames={{ root: classes.secret, input: classes.code }}
      rightSectionWidth={isInRow ? 'var(--clients-buttons)' : 92}
      rightSection={
        <Group gap={2} wrap="nowrap">
          <ActionIcon
            variant="subtle"
            color="gray"
            size={isInRow ? 26 : 'md'}
            aria-label={texts.of.showSecret(clientId)}
            aria-pressed={isRevealed}
            onClick={() => setRevealed(!isRevealed)}
          >
            <Icon name={isRevealed ? 'eyeOff' : 'eye'} size={16} />
          </ActionIcon>
          <CopyButton
            value={secret ?? ''}
            label={texts.secret}
            size={isInRow ? 26 : 'md'}
            name={texts.of.copySecret(clientId)}
            {...(isPartial ? { disabledReason: texts.shownOnce } : {})}
            {...(onCopied === undefined ? {} : { onCopied })}
          />
        </Group>
      }
    />
  )
}

const { head, tail, dots } = SECRET_PREVIEW
const BULLETS = '••••••••••••'

/**
 * First 8 characters, dots, last 4; bullets for a secret so short that this would be all of it; a
 * dash for none.
 */
export function previewOf({ clientSecret, secretPreview }: Partial<ClientRecord>): string {
  if (clientSecret !== undefined) {
    if (clientSecret.length <= head + tail) return BULLETS
    return `${clientSecret.slice(0, head)}${DOTS}${clientSecret.slice(-tail)}`
  }
  return secretPreview?.replace(dots, DOTS) ?? '–'
}

interface SecretOnceDialogProps {
  readonly created: NewSecret
  /** The client was made right now: its keys come next. */
  readonly isNew?: boolean
  readonly onDone: () => void
}

/**
 * The one time a secret is readable. Only its own buttons close it, and that only after the secret
 * was taken along.
 */
export function SecretOnceDialog({ created, isNew = false, onDone }: SecretOnceDialogProps) {
  const [isTaken, setTaken] = useState(false)
  const [isCopiedNow, setCopiedNow] = useState(false)
  const { clientId, clientSecret } = created
  const env = envLines(gatewayUrl(), created)
  const { copy, isCopied } = useCopy(texts.once.envLabel)
  const take = () => setTaken(true)
  const takeCopy = () => {
    take()
    setCopiedNow(true)
  }
  const isWide = useMediaQuery('(min-width: 62em)', true, { getInitialValueInEffect: false })
  useFocusReturn()
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
          {isCopiedNow && (
            <Button
              variant="default"
              size="xs"
              leftSection={<Icon name="close" size={14} />}
              onClick={async () => (await clear()) && setCopiedNow(false)}
            >
              {texts.once.clear}
            </Button>
          )}
        </Group>
        {/* The secret comes from the environment, so that neither the screen nor the shell's history keeps it. */}
        <RequestSample
          title={texts.once.curl}
          endpoint={getToken}
          input={{ body: { clientId, clientSecret: shellVariable('SLUICE_CLIENT_SECRET') } }}
        />
        <OnceEnd {...{ clientId, isNew, isTaken, setTaken, onDone }} />
      </Stack>
    </Modal>
  )
}

interface OnceEndProps extends Pick<SecretOnceDialogProps, 'isNew' | 'onDone'> {
  readonly clientId: string
  readonly isTaken: boolean
  readonly setTaken: (isTaken: boolean) => void
}

/** What closes the dialog, and where one goes from there. */
function OnceEnd({ clientId, isNew, isTaken, setTaken, onDone }: OnceEndProps) {
  const { leaveFor } = useStayOnPage()
  const next = [
    [texts.once.connect, '/connect'],
    ...(isNew ? [[texts.once.addKeys, addKeysAddress(clientId)] as const] : []),
  ] as const
  return (
    <Group justify="space-between">
      <Checkbox
        label={texts.once.stored}
        checked={isTaken}
        onChange={(event) => setTaken(event.currentTarget.checked)}
      />
      <Group gap="sm">
        {next.map(([label, address]) => (
          <Button
            key={address}
            variant="default"
            disabled={!isTaken}
            onClick={() => {
              leaveFor(address)
              onDone()
            }}
          >
            {label}
          </Button>
        ))}
        <Button onClick={onDone} disabled={!isTaken}>
          {texts.once.done}
        </Button>
      </Group>
    </Group>
  )
}

/** Where keys are added, with the client chosen. */
export const addKeysAddress = (clientId: string) =>
  `/api-key-management?${new URLSearchParams({ add: clientId })}`

async function clear(): Promise<boolean> {
  const isCleared = await clearClipboard()
  toast({
    ...(isCleared ? texts.once.cleared : texts.once.notCleared),
    tone: isCleared ? 'success' : 'failure',
  })
  return isCleared
}

/** The lines of a `.env` file: base URL, client id, secret, and nothing else. */
function envLines(baseUrl: string, { clientId, clientSecret }: NewSecret): string {
  return [
    `SLUICE_BASE_URL=${baseUrl}`,
    `SLUICE_CLIENT_ID=${clientId}`,
    `SLUICE_CLIENT_SECRET=${clientSecret}`,
    '',
  ].join('\n')
}
