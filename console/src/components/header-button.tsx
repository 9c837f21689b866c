import { Button, type ButtonProps } from '@mantine/core'
import { Icon, type IconName } from './icons.tsx'
import * as texts from './page-texts.ts'
import { useActions } from './use-actions.ts'

interface HeaderButtonProps extends Pick<ButtonProps, 'disabled'> {
  readonly icon: IconName
  readonly onClick: () => void
  readonly children: string
  /** What it will do, for the palette. */
  readonly does?: string
}

/** A button in the head of a page, beside its title; the palette offers it too. */
export function HeaderButton({ icon, children, does, ...rest }: HeaderButtonProps) {
  const { disabled = false, onClick } = rest
  const action = { label: children, does: does ?? texts.pageButton, run: onClick, icon }
  useActions(disabled ? [] : [action])
  return (
    <Button variant="default" leftSection={<Icon name={icon} size={16} />} {...rest}>
      {children}
    </Button>
  )
}
