import { Button, type ButtonProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon, type IconName } from './icons.tsx'

interface HeaderButtonProps extends Pick<ButtonProps, 'disabled'> {
  readonly icon: IconName
  readonly onClick: () => void
  readonly children: ReactNode
}

/** A button in the head of a page, beside its title. */
export function HeaderButton({ icon, children, ...rest }: HeaderButtonProps) {
  return (
    <Button variant="default" leftSection={<Icon name={icon} size={16} />} {...rest}>
      {children}
    </Button>
  )
}
