import { Alert } from '@mantine/core'
import { useNetwork } from '@mantine/hooks'
import { useEffect } from 'react'
import { Icon } from '../../components/icons.tsx'
import { toast } from '../../components/toast.tsx'

const TITLE = 'You are offline'

/**
 * Stays while the browser has no network. Forms send nothing meanwhile, nor does `useAction`; what
 * stops trading still tries, because a gateway on this machine can be reached without a network.
 */
export function OfflineNote() {
  const { online } = useNetwork()
  useEffect(() => {
    if (online) return
    const refuse = (event: SubmitEvent) => {
      if (event.target instanceof HTMLElement && 'alsoOffline' in event.target.dataset) return
      event.preventDefault()
      event.stopPropagation()
      toast({
        title: TITLE,
        message: 'Nothing was sent. What you typed stays in the form.',
        tone: 'failure',
      })
    }
    document.addEventListener('submit', refuse, { capture: true })
    return () => document.removeEventListener('submit', refuse, { capture: true })
  }, [online])

  if (online) return null
  return (
    <Alert
      color="yellow"
      variant="light"
      mb="md"
      icon={<Icon name="alert" />}
      title={TITLE}
      role="status"
    >
      This page shows what it read last. It reads again by itself when the connection is back; until
      then, only what stops trading is sent.
    </Alert>
  )
}
