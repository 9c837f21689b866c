import { Alert } from '@mantine/core'
import { useNetwork } from '@mantine/hooks'
import { useEffect } from 'react'
import { Icon } from '../../components/icons.tsx'
import { toast } from '../../components/toast.tsx'
import * as texts from './texts.ts'

/**
 * Stays while the browser has no network. Forms send nothing then, nor does `useAction`; what
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
        title: texts.offline,
        message: texts.offlineRefused,
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
      title={texts.offline}
      role="status"
    >
      {texts.offlineText}
    </Alert>
  )
}
