import { ActionIcon, Button, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import { getToken, SECRET_PREVIEW } from 'schema'
import { gatewayUrl } from '../../api/gateway-url.ts'
import { RequestSample, shellVariable } from '../../api/request-sample.tsx'
import { CopyButton, clearClipboard, useCopy } from '../../components/copy.tsx'
import { OnceDialog } from '../../components/dialogs.tsx'
import { downloadText } from '../../components/files.ts'
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

/** The one time a secret is readable; it closes only after the secret was taken along. */
export function SecretOnceDialog({ created, isNew = false, onDone }: SecretOnceDialogProps) {
  const [isCopiedNow, setCopiedNow] = useState(false)
  const { clientId, clientSecret } = created
  const env = envLines(gatewayUrl(), created)
  const { copy, isCopied } = useCopy(texts.once.envLabel)
  return (
    <OnceDialog
      title={texts.once.title}
      text={texts.once.text}
      size="lg"
      storedLabel={texts.once.stored}
      next={[
        [texts.once.connect, '/connect'],
        ...(isNew ? [[texts.once.addKeys, addKeysAddress(clientId)] as const] : []),
      ]}
      onDone={onDone}
    >
      {(take) => {
        const takeCopy = () => {
          take()
          setCopiedNow(true)
        }
        const copyEnv = async () => (await copy(env)) && takeCopy()
        const download = () => {
          downloadText(`${clientId}.env`, env)
          take()
        }
        const clearCopy = async () => (await clear()) && setCopiedNow(false)
        const tools = [
          [texts.once.env, isCopied ? 'check' : 'copy', copyEnv],
          [texts.once.download, 'download', download],
          ...(isCopiedNow ? [[texts.once.clear, 'close', clearCopy] as const] : []),
        ] as const
        return (
          <>
            <TextInput
              label={texts.clientId}
              size="xs"
              readOnly
              value={clientId}
              rightSection={<CopyButton value={clientId} label={texts.clientId} />}
            />
            <SecretField clientId={clientId} secret={clientSecret} preview="" onCopied={takeCopy} />
            <Group gap="xs">
              {tools.map(([label, icon, onClick]) => (
                <Button
                  key={label}
                  variant="default"
                  size="xs"
                  leftSection={<Icon name={icon} size={14} />}
                  onClick={() => void onClick()}
                >
                  {label}
                </Button>
              ))}
            </Group>
            {/* The secret comes from the environment, so that neither the screen nor the shell's history keeps it. */}
            <RequestSample
              title={texts.once.curl}
              endpoint={getToken}
              input={{ body: { clientId, clientSecret: shellVariable('SLUICE_CLIENT_SECRET') } }}
            />
          </>
        )
      }}
    </OnceDialog>
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
