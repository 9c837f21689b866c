import { StoreInUseError } from './errors.ts'
import { lockStore } from './lock.ts'

/** Whether a gateway works on the database at this moment. @throws StoreUnopenableError */
export function isGatewayRunning(path: string): boolean {
  try {
    lockStore(path)()
    return false
  } catch (error) {
    if (error instanceof StoreInUseError) return true
    throw error
  }
}
