import { Gauge, type Registry } from 'prom-client'
import type { DiskSpace } from '../../operations/disk-space.ts'

/** The database and its disk. */
export function createStoreMetrics(registry: Registry) {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] })
  const writable = gauge(
    'sluice_store_writable',
    '1 when the last write to the database succeeded and none waits for a second; while it is 0, no order is sent',
  )
  const free = gauge('sluice_disk_free_bytes', 'Free space on the disk of the database')
  const size = gauge('sluice_disk_size_bytes', 'Size of the disk of the database')
  const reserveUsed = gauge(
    'sluice_disk_reserve_used',
    '1 while the disk is full and the gateway writes into its reserve; then it takes no new orders',
  )
  const unindexed = gauge(
    'sluice_log_unindexed_rows',
    'Rows of the request log that its index lacks; filters examine them one by one',
  )
  const backup = gauge(
    'sluice_backup_last_timestamp_seconds',
    'When the last backup was made, in seconds since 1970; 0: none was',
  )
  return {
    refreshBackup(lastMs = 0): void {
      backup.set(lastMs / 1_000)
    },
    refreshReserve(isUsed: boolean): void {
      reserveUsed.set(Number(isUsed))
    },
    refreshIndex(unindexedRows: number): void {
      unindexed.set(unindexedRows)
    },
    refresh(isWritable: boolean, disk: DiskSpace | undefined): void {
      writable.set(Number(isWritable))
      if (disk === undefined) return
      free.set(disk.freeBytes)
      size.set(disk.sizeBytes)
    },
  }
}
