import { statfs } from 'node:fs/promises'
import type { CheckResult, HealthCheck } from '@keelson/runtime'

export interface DiskUse {
  readonly freeBytes: number
  readonly totalBytes: number
}

const MIN_FREE_BYTES = 1024 ** 3
const MAX_USED_SHARE = 0.97
const GIB = 1024 ** 3

export function judgeDisk(folder: string, { freeBytes, totalBytes }: DiskUse): CheckResult {
  const free = `${(freeBytes / GIB).toFixed(1)} GiB free, ${((100 * freeBytes) / totalBytes).toFixed(1)}%`
  if (freeBytes >= MIN_FREE_BYTES && freeBytes >= (1 - MAX_USED_SHARE) * totalBytes) return { ok: true, detail: free }
  return {
    ok: false,
    reason: `the disk of ${folder} is nearly full: ${free}`,
    remedy: 'make room, or move the data folder to a larger disk',
  }
}

export function createDiskCheck(folder: string): HealthCheck {
  return {
    name: 'disk',
    async check() {
      const { bavail, blocks, bsize } = await statfs(folder)
      return judgeDisk(folder, { freeBytes: bavail * bsize, totalBytes: blocks * bsize })
    },
  }
}
