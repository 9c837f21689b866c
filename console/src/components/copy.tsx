import { ActionIcon, type ActionIconProps, Group, Paper, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { Icon } from './icons.tsx'
import * as texts from './page-texts.ts'
import { toast } from './toast.tsx'

interface CopyButtonProps extends Pick<ActionIconProps, 'size' | 'variant'> {
  readonly value: string
  /** What is copied, as the toast says it: "Client ID". */
  readonly label: string
  /** The button's name when the label alone is ambiguous, for example in a row. */
  readonly name?: string
  /** Why there is nothing to copy; the button stays, copies nothing and says it. */
  readonly disabledReason?: string
  readonly onCopied?: () => void
}

/** A small copy button that shows a check mark for 2 s after use. */
export function CopyButton({
  value,
  label,
  name = texts.copyName(label),
  disabledReason,
  onCopied,
  size = 'md',
  variant = 'subtle',
}: CopyButtonProps) {
  const { copy, isCopied } = useCopy(label)
  const press = async () => {
    if (disabledReason !== undefined) {
      return toast({ title: texts.copyNothing, message: disabledReason, tone: 'info' })
    }
    if (await copy(value)) onCopied?.()
  }
  const isDisabled = disabledReason !== undefined
  return (
    <ActionIcon
      variant={variant}
      color={isCopied ? 'green' : 'gray'}
      size={size}
      aria-label={name}
      title={disabledReason ?? name}
      aria-disabled={isDisabled}
      onClick={press}
      style={isDisabled ? { opacity: 0.6 } : undefined}
    >
      <Icon name={isCopied ? 'check' : 'copy'} size={16} />
    </ActionIcon>
  )
}

interface CopyFieldProps {
  readonly label: string
  readonly value: string
}

/** A named value that people take elsewhere. */
export function CopyField({ label, value }: CopyFieldProps) {
  return (
    <Paper withBorder bg="var(--sluice-canvas)" p="4px 4px 4px 12px" miw={0}>
      <Group wrap="nowrap" gap={10}>
        {/* A value that does not fit beside its label gets the whole width below it. */}
        <Group flex={1} gap="0 10px" miw={0}>
          <Text component="span" fz="xs" c="dimmed" flex="none">
            {label}
          </Text>
          <Text component="code" ff="monospace" fz="sm" miw={0} style={WRAPS}>
            {value}
          </Text>
        </Group>
        <CopyButton value={value} label={label} />
      </Group>
    </Paper>
  )
}

const WRAPS = { overflowWrap: 'anywhere' } as const

/** How long a used copy button shows its check mark (console-checklist.md, 88 and 108). */
const CONFIRMED_MS = 2000

/** Copies and confirms it: a toast `{label} copied to clipboard`, and `isCopied` for 2 s. */
export function useCopy(label: string) {
  const [copiedAt, setCopiedAt] = useState<number | null>(null)

  useEffect(() => {
    if (copiedAt === null) return
    const timer = setTimeout(() => setCopiedAt(null), CONFIRMED_MS)
    return () => clearTimeout(timer)
  }, [copiedAt])

  const copy = async (text: string): Promise<boolean> => {
    const copied = await copyText(text)
    if (copied) {
      setCopiedAt(Date.now())
      toast({ title: texts.copyDone, message: texts.copyText(label) })
    } else {
      toast({ title: texts.copyFailed, message: texts.copyFailedText(label), tone: 'failure' })
    }
    return copied
  }
  return { copy, isCopied: copiedAt !== null }
}

/**
 * Puts text on the clipboard, also on plain http where the Clipboard API does not exist. False when
 * the browser refuses both ways; the caller then asks the person to copy by hand.
 */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Missing (not a secure context) or not permitted: the older way remains.
    return copyBySelection(text)
  }
}

/** Takes from the clipboard what was copied: a blank replaces it; nothing cannot be copied. */
export const clearClipboard = () => copyText(' ')

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.readOnly = true
  area.style.cssText = 'position:fixed;inset:0 auto auto 0;opacity:0'
  const focused = document.activeElement
  // Inside the open dialog: its focus trap takes the selection from an element outside.
  const dialog = focused?.closest('[role="dialog"]') ?? document.body
  dialog.append(area)
  area.select()
  const copied = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return copied
}
