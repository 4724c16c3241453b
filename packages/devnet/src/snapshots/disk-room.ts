import { statfs } from 'node:fs/promises'
import { DevnetError } from '../devnet-error.ts'

/** Left free for the network itself. */
const RESERVE_BYTES = 512 * 1024 * 1024
const MIB = 1024 * 1024

/** Throws DevnetError `node/disk`. */
export async function assertRoom(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const freeBytes = bavail * bsize
  if (freeBytes >= bytes + RESERVE_BYTES) return
  const mib = (value: number) => Math.ceil(value / MIB)
  throw new DevnetError(
    'node/disk',
    `the disk of ${folder} has ${mib(freeBytes)} MiB free, expected ${mib(bytes + RESERVE_BYTES)}: ${mib(bytes)} for the copy, and ` +
      `${mib(RESERVE_BYTES)} left over; make room, or delete snapshots in ${folder}/snapshots. Nothing was changed`,
  )
}
