import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'

const WRITES = 40
const WRITE_BYTES = 4_096
const LONGEST_MS = 1_500

/** Measures synced writes to a file in `folder`, which is deleted: at most 40, and none begins after 1.5 s. */
export async function probeDisk(folder: string, nowMs: () => number): Promise<readonly number[]> {
  const path = join(folder, `.keelson-doctor-${process.pid}`)
  const file = await open(path, 'wx', 0o600)
  const times: number[] = []
  try {
    const block = Buffer.alloc(WRITE_BYTES, 1)
    const untilMs = nowMs() + LONGEST_MS
    while (times.length < WRITES && nowMs() < untilMs) {
      const beganMs = nowMs()
      await file.write(block)
      await file.datasync()
      times.push(nowMs() - beganMs)
    }
  } finally {
    await file.close()
    await rm(path, { force: true })
  }
  return times
}
